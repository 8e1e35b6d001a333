; sources 6162bd613d62e054f423e3fb0131752e00a1c18d02e55990082d902ba1f60e32
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%"class.lanescope::LaneOf" = type { ptr, ptr, ptr, i32, i32, i32, i32, i32, i8, i64 }
%struct.ls_handle = type { i64, i64, i64, i64, i64, i32, i32, i32, i32, i32, i32, i64, i64, [6 x i64] }
%struct.ls_handle_lane = type { i64, i32, i32, i32, i32, i32, i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, [3 x i64] }
%struct.ls_lane = type { i32, i32, i32, i32, i32, i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, [4 x i64], i64, i64, i64, i64, i64, i64, [6 x i64] }
%struct.ls_slice_now = type { i64, i32, i32, i64, i32, i32, i64, i64, i64, i64 }
%struct.ls_slice = type { i32, i32, i32, i32 }
%struct.ls_buffer = type { i64, i32, i32, i64, i64, i64, i64, [2 x i64] }

@_ZN9lanescopeL6placesE = internal addrspace(3) global [2048 x i8] undef, align 1024

define dso_local i32 @lanescope_per_block(i64 noundef %0) local_unnamed_addr #0 {
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = icmp eq i32 %2, 0
  %4 = icmp ne i64 %0, 0
  %5 = and i1 %3, %4
  br i1 %5, label %6, label %48

6:
  %7 = or disjoint i32 ptrtoint (ptr addrspace(3) @_ZN9lanescopeL6placesE to i32), 1
  %8 = and i64 ptrtoint (ptr addrspace(3) @_ZN9lanescopeL6placesE to i64), 4294966272
  %9 = inttoptr i64 %8 to ptr addrspace(3)
  %10 = addrspacecast ptr addrspace(3) %9 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %10, i64 64) ]
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %13 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %15 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %16 = mul i32 %14, %15
  %17 = add i32 %16, %13
  %18 = mul i32 %17, %12
  %19 = add i32 %18, %11
  store ptr null, ptr %10, align 64
  %20 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 1
  store ptr null, ptr %20, align 8
  %21 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 2
  store ptr null, ptr %21, align 16
  %22 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 3
  store i32 -1, ptr %22, align 8
  %23 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 4
  store i32 0, ptr %23, align 4
  %24 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 5
  store i32 1, ptr %24, align 32
  %25 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 6
  store i32 -1, ptr %25, align 4
  %26 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 7
  store i32 0, ptr %26, align 8
  %27 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 8
  store i8 0, ptr %27, align 4
  %28 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 9
  store i64 0, ptr %28, align 16
  %29 = inttoptr i64 %0 to ptr
  %30 = getelementptr inbounds %struct.ls_handle, ptr %29, i64 0, i32 10
  %31 = load i32, ptr %30, align 4
  %32 = icmp ne i32 %31, 0
  %33 = zext i1 %32 to i8
  store i8 %33, ptr %27, align 4
  %34 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEyjj(i64 noundef %0, i32 noundef %19, i32 noundef 0) #7
  store ptr %34, ptr %10, align 64
  %35 = icmp eq ptr %34, null
  br i1 %35, label %46, label %36

36:
  %37 = load i64, ptr %29, align 8
  %38 = getelementptr inbounds %struct.ls_handle, ptr %29, i64 0, i32 1
  %39 = load i64, ptr %38, align 8
  %40 = add i64 %39, %37
  %41 = inttoptr i64 %40 to ptr
  %42 = getelementptr inbounds %struct.ls_handle_lane, ptr %34, i64 0, i32 1
  %43 = load i32, ptr %42, align 8
  %44 = zext i32 %43 to i64
  %45 = getelementptr inbounds %struct.ls_lane, ptr %41, i64 %44, i32 19
  br label %46

46:
  %47 = phi ptr [ %45, %36 ], [ null, %6 ]
  store ptr %47, ptr %20, align 8
  br label %48

48:
  %49 = phi i32 [ %7, %46 ], [ 0, %1 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %49
}

declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

define dso_local i32 @lanescope_per_thread(i64 noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = icmp eq i32 %4, %2
  %6 = icmp ne i64 %0, 0
  %7 = and i1 %6, %5
  br i1 %7, label %8, label %60

8:
  %9 = shl i32 %2, 1
  %10 = and i32 %9, -64
  %11 = zext i32 %10 to i64
  %12 = getelementptr inbounds i8, ptr addrspace(3) @_ZN9lanescopeL6placesE, i64 %11
  %13 = ptrtoint ptr addrspace(3) %12 to i64
  %14 = trunc i64 %13 to i32
  %15 = and i32 %2, 31
  %16 = icmp eq i32 %15, 0
  %17 = or disjoint i32 %14, 1
  %18 = select i1 %16, i32 %17, i32 -1
  %19 = add nsw i32 %18, -1
  %20 = zext i32 %19 to i64
  %21 = inttoptr i64 %20 to ptr addrspace(3)
  %22 = addrspacecast ptr addrspace(3) %21 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %22, i64 64) ]
  %23 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %24 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %25 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %26 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %27 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %28 = mul i32 %26, %27
  %29 = add i32 %28, %25
  %30 = mul i32 %29, %24
  %31 = add i32 %30, %23
  store ptr null, ptr %22, align 64
  %32 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 1
  store ptr null, ptr %32, align 8
  %33 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 2
  store ptr null, ptr %33, align 16
  %34 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 3
  store i32 -1, ptr %34, align 8
  %35 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 4
  store i32 0, ptr %35, align 4
  %36 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 5
  store i32 1, ptr %36, align 32
  %37 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 6
  store i32 -1, ptr %37, align 4
  %38 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 7
  store i32 0, ptr %38, align 8
  %39 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 8
  store i8 0, ptr %39, align 4
  %40 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 9
  store i64 0, ptr %40, align 16
  %41 = inttoptr i64 %0 to ptr
  %42 = getelementptr inbounds %struct.ls_handle, ptr %41, i64 0, i32 10
  %43 = load i32, ptr %42, align 4
  %44 = icmp ne i32 %43, 0
  %45 = zext i1 %44 to i8
  store i8 %45, ptr %39, align 4
  %46 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEyjj(i64 noundef %0, i32 noundef %31, i32 noundef %1) #7
  store ptr %46, ptr %22, align 64
  %47 = icmp eq ptr %46, null
  br i1 %47, label %58, label %48

48:
  %49 = load i64, ptr %41, align 8
  %50 = getelementptr inbounds %struct.ls_handle, ptr %41, i64 0, i32 1
  %51 = load i64, ptr %50, align 8
  %52 = add i64 %51, %49
  %53 = inttoptr i64 %52 to ptr
  %54 = getelementptr inbounds %struct.ls_handle_lane, ptr %46, i64 0, i32 1
  %55 = load i32, ptr %54, align 8
  %56 = zext i32 %55 to i64
  %57 = getelementptr inbounds %struct.ls_lane, ptr %53, i64 %56, i32 19
  br label %58

58:
  %59 = phi ptr [ %57, %48 ], [ null, %8 ]
  store ptr %59, ptr %32, align 8
  br label %60

60:
  %61 = phi i32 [ %18, %58 ], [ 0, %3 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %61
}

define dso_local i32 @lanescope_per_partition(i64 noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = shl i32 %2, 5
  %6 = urem i32 %4, %5
  %7 = icmp eq i32 %6, 0
  %8 = icmp ne i64 %0, 0
  %9 = and i1 %8, %7
  br i1 %9, label %10, label %62

10:
  %11 = shl i32 %4, 1
  %12 = and i32 %11, -64
  %13 = zext i32 %12 to i64
  %14 = getelementptr inbounds i8, ptr addrspace(3) @_ZN9lanescopeL6placesE, i64 %13
  %15 = ptrtoint ptr addrspace(3) %14 to i64
  %16 = trunc i64 %15 to i32
  %17 = and i32 %4, 31
  %18 = icmp eq i32 %17, 0
  %19 = or disjoint i32 %16, 1
  %20 = select i1 %18, i32 %19, i32 -1
  %21 = add nsw i32 %20, -1
  %22 = zext i32 %21 to i64
  %23 = inttoptr i64 %22 to ptr addrspace(3)
  %24 = addrspacecast ptr addrspace(3) %23 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %24, i64 64) ]
  %25 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %26 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %27 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %28 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %29 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %30 = mul i32 %28, %29
  %31 = add i32 %30, %27
  %32 = mul i32 %31, %26
  %33 = add i32 %32, %25
  store ptr null, ptr %24, align 64
  %34 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 1
  store ptr null, ptr %34, align 8
  %35 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 2
  store ptr null, ptr %35, align 16
  %36 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 3
  store i32 -1, ptr %36, align 8
  %37 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 4
  store i32 0, ptr %37, align 4
  %38 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 5
  store i32 1, ptr %38, align 32
  %39 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 6
  store i32 -1, ptr %39, align 4
  %40 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 7
  store i32 0, ptr %40, align 8
  %41 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 8
  store i8 0, ptr %41, align 4
  %42 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 9
  store i64 0, ptr %42, align 16
  %43 = inttoptr i64 %0 to ptr
  %44 = getelementptr inbounds %struct.ls_handle, ptr %43, i64 0, i32 10
  %45 = load i32, ptr %44, align 4
  %46 = icmp ne i32 %45, 0
  %47 = zext i1 %46 to i8
  store i8 %47, ptr %41, align 4
  %48 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEyjj(i64 noundef %0, i32 noundef %33, i32 noundef %1) #7
  store ptr %48, ptr %24, align 64
  %49 = icmp eq ptr %48, null
  br i1 %49, label %60, label %50

50:
  %51 = load i64, ptr %43, align 8
  %52 = getelementptr inbounds %struct.ls_handle, ptr %43, i64 0, i32 1
  %53 = load i64, ptr %52, align 8
  %54 = add i64 %53, %51
  %55 = inttoptr i64 %54 to ptr
  %56 = getelementptr inbounds %struct.ls_handle_lane, ptr %48, i64 0, i32 1
  %57 = load i32, ptr %56, align 8
  %58 = zext i32 %57 to i64
  %59 = getelementptr inbounds %struct.ls_lane, ptr %55, i64 %58, i32 19
  br label %60

60:
  %61 = phi ptr [ %59, %50 ], [ null, %10 ]
  store ptr %61, ptr %34, align 8
  br label %62

62:
  %63 = phi i32 [ %20, %60 ], [ 0, %3 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %63
}

define dso_local i32 @lanescope_per_warp(i64 noundef %0) local_unnamed_addr #0 {
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = and i32 %2, 31
  %4 = icmp eq i32 %3, 0
  %5 = icmp ne i64 %0, 0
  %6 = and i1 %4, %5
  br i1 %6, label %7, label %56

7:
  %8 = lshr i32 %2, 5
  %9 = shl i32 %2, 1
  %10 = and i32 %9, -64
  %11 = zext i32 %10 to i64
  %12 = getelementptr inbounds i8, ptr addrspace(3) @_ZN9lanescopeL6placesE, i64 %11
  %13 = ptrtoint ptr addrspace(3) %12 to i64
  %14 = trunc i64 %13 to i32
  %15 = or disjoint i32 %14, 1
  %16 = and i64 %13, 4294967232
  %17 = inttoptr i64 %16 to ptr addrspace(3)
  %18 = addrspacecast ptr addrspace(3) %17 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %18, i64 64) ]
  %19 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %20 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %21 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %22 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %23 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %24 = mul i32 %22, %23
  %25 = add i32 %24, %21
  %26 = mul i32 %25, %20
  %27 = add i32 %26, %19
  store ptr null, ptr %18, align 64
  %28 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 1
  store ptr null, ptr %28, align 8
  %29 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 2
  store ptr null, ptr %29, align 16
  %30 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 3
  store i32 -1, ptr %30, align 8
  %31 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 4
  store i32 0, ptr %31, align 4
  %32 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 5
  store i32 1, ptr %32, align 32
  %33 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 6
  store i32 -1, ptr %33, align 4
  %34 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 7
  store i32 0, ptr %34, align 8
  %35 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 8
  store i8 0, ptr %35, align 4
  %36 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 9
  store i64 0, ptr %36, align 16
  %37 = inttoptr i64 %0 to ptr
  %38 = getelementptr inbounds %struct.ls_handle, ptr %37, i64 0, i32 10
  %39 = load i32, ptr %38, align 4
  %40 = icmp ne i32 %39, 0
  %41 = zext i1 %40 to i8
  store i8 %41, ptr %35, align 4
  %42 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEyjj(i64 noundef %0, i32 noundef %27, i32 noundef %8) #7
  store ptr %42, ptr %18, align 64
  %43 = icmp eq ptr %42, null
  br i1 %43, label %54, label %44

44:
  %45 = load i64, ptr %37, align 8
  %46 = getelementptr inbounds %struct.ls_handle, ptr %37, i64 0, i32 1
  %47 = load i64, ptr %46, align 8
  %48 = add i64 %47, %45
  %49 = inttoptr i64 %48 to ptr
  %50 = getelementptr inbounds %struct.ls_handle_lane, ptr %42, i64 0, i32 1
  %51 = load i32, ptr %50, align 8
  %52 = zext i32 %51 to i64
  %53 = getelementptr inbounds %struct.ls_lane, ptr %49, i64 %52, i32 19
  br label %54

54:
  %55 = phi ptr [ %53, %44 ], [ null, %7 ]
  store ptr %55, ptr %28, align 8
  br label %56

56:
  %57 = phi i32 [ %15, %54 ], [ 0, %1 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %57
}

define dso_local noundef i32 @lanescope_begin(i32 noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = shl i32 %4, 1
  %6 = and i32 %5, -64
  %7 = zext i32 %6 to i64
  %8 = getelementptr inbounds i8, ptr addrspace(3) @_ZN9lanescopeL6placesE, i64 %7
  %9 = ptrtoint ptr addrspace(3) %8 to i64
  %10 = trunc i64 %9 to i32
  %11 = and i32 %4, 31
  %12 = icmp eq i32 %11, 0
  %13 = or disjoint i32 %10, 1
  %14 = select i1 %12, i32 %13, i32 -1
  %15 = icmp eq i32 %14, %0
  br i1 %15, label %16, label %71

16:
  %17 = add i32 %0, -1
  %18 = zext i32 %17 to i64
  %19 = inttoptr i64 %18 to ptr addrspace(3)
  %20 = addrspacecast ptr addrspace(3) %19 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %20, i64 64) ]
  %21 = load i64, ptr %20, align 64
  %22 = getelementptr inbounds i64, ptr %20, i64 1
  %23 = load i64, ptr %22, align 8
  %24 = getelementptr inbounds i64, ptr %20, i64 2
  %25 = load i64, ptr %24, align 16
  %26 = getelementptr inbounds i64, ptr %20, i64 3
  %27 = load i64, ptr %26, align 8
  %28 = getelementptr inbounds i64, ptr %20, i64 4
  %29 = load i64, ptr %28, align 32
  %30 = getelementptr inbounds i64, ptr %20, i64 5
  %31 = load i64, ptr %30, align 8
  %32 = getelementptr inbounds i64, ptr %20, i64 6
  %33 = and i64 %29, 4294967295
  %34 = icmp eq i64 %33, 0
  br i1 %34, label %47, label %35, !prof !3

35:
  %36 = inttoptr i64 %21 to ptr
  %37 = inttoptr i64 %25 to ptr
  %38 = lshr i64 %27, 32
  %39 = trunc i64 %38 to i32
  %40 = trunc i64 %27 to i32
  %41 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %36, ptr noundef %37, i32 noundef %39, i32 noundef %40) #7
  %42 = ptrtoint ptr %41 to i64
  %43 = icmp slt i32 %40, 0
  %44 = and i64 %27, 4294967295
  %45 = select i1 %43, i64 1023, i64 %44
  %46 = and i64 %29, -4294967296
  br label %47

47:
  %48 = phi i64 [ %46, %35 ], [ %29, %16 ]
  %49 = phi i64 [ %45, %35 ], [ %27, %16 ]
  %50 = phi i64 [ %42, %35 ], [ %25, %16 ]
  %51 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %52 = icmp eq i64 %21, 0
  br i1 %52, label %57, label %53

53:
  %54 = tail call i32 asm sideeffect "mov.b32 $0, $1;", "=r,r"(i32 %1) #8
  %55 = zext i32 %54 to i64
  %56 = shl nuw i64 %55, 32
  br label %57

57:
  %58 = phi i64 [ %48, %47 ], [ %56, %53 ]
  %59 = and i32 %2, 32767
  %60 = zext nneg i32 %59 to i64
  %61 = and i64 %31, -4294967296
  %62 = or disjoint i64 %61, %60
  br i1 %52, label %70, label %63

63:
  %64 = lshr i64 %51, 32
  %65 = trunc i64 %64 to i32
  %66 = trunc i64 %51 to i32
  %67 = inttoptr i64 %23 to ptr
  %68 = lshr i64 %58, 32
  %69 = trunc i64 %68 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr %67, i32 %66, i32 %65, i32 %69, i32 %59) #8
  br label %70

70:
  store i64 %21, ptr %20, align 64
  store i64 %23, ptr %22, align 8
  store i64 %50, ptr %24, align 16
  store i64 %49, ptr %26, align 8
  store i64 %58, ptr %28, align 32
  store i64 %62, ptr %30, align 8
  store i64 %51, ptr %32, align 16
  br label %71

71:
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 0
}

define dso_local noundef i32 @lanescope_end(i32 noundef %0) local_unnamed_addr #0 {
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = shl i32 %2, 1
  %4 = and i32 %3, -64
  %5 = zext i32 %4 to i64
  %6 = getelementptr inbounds i8, ptr addrspace(3) @_ZN9lanescopeL6placesE, i64 %5
  %7 = ptrtoint ptr addrspace(3) %6 to i64
  %8 = trunc i64 %7 to i32
  %9 = and i32 %2, 31
  %10 = icmp eq i32 %9, 0
  %11 = or disjoint i32 %8, 1
  %12 = select i1 %10, i32 %11, i32 -1
  %13 = icmp eq i32 %12, %0
  br i1 %13, label %14, label %84

14:
  %15 = add i32 %0, -1
  %16 = zext i32 %15 to i64
  %17 = inttoptr i64 %16 to ptr addrspace(3)
  %18 = addrspacecast ptr addrspace(3) %17 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %18, i64 64) ]
  %19 = load i64, ptr %18, align 64
  %20 = getelementptr inbounds i64, ptr %18, i64 1
  %21 = load i64, ptr %20, align 8
  %22 = getelementptr inbounds i64, ptr %18, i64 2
  %23 = load i64, ptr %22, align 16
  %24 = getelementptr inbounds i64, ptr %18, i64 3
  %25 = load i64, ptr %24, align 8
  %26 = getelementptr inbounds i64, ptr %18, i64 4
  %27 = load i64, ptr %26, align 32
  %28 = getelementptr inbounds i64, ptr %18, i64 5
  %29 = load i64, ptr %28, align 8
  %30 = getelementptr inbounds i64, ptr %18, i64 6
  %31 = load i64, ptr %30, align 16
  %32 = trunc i64 %29 to i32
  %33 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %34 = and i64 %27, 4294967295
  %35 = icmp eq i64 %34, 0
  br i1 %35, label %36, label %39, !prof !3

36:
  %37 = inttoptr i64 %23 to ptr
  %38 = inttoptr i64 %19 to ptr
  br label %50

39:
  %40 = inttoptr i64 %19 to ptr
  %41 = inttoptr i64 %23 to ptr
  %42 = lshr i64 %25, 32
  %43 = trunc i64 %42 to i32
  %44 = trunc i64 %25 to i32
  %45 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %40, ptr noundef %41, i32 noundef %43, i32 noundef %44) #7
  %46 = icmp slt i32 %44, 0
  %47 = and i64 %25, 4294967295
  %48 = select i1 %46, i64 1023, i64 %47
  %49 = and i64 %27, -4294967296
  br label %50

50:
  %51 = phi ptr [ %40, %39 ], [ %38, %36 ]
  %52 = phi i64 [ %48, %39 ], [ %25, %36 ]
  %53 = phi i64 [ %49, %39 ], [ %27, %36 ]
  %54 = phi ptr [ %45, %39 ], [ %37, %36 ]
  %55 = getelementptr inbounds i8, ptr %54, i64 16
  %56 = ptrtoint ptr %55 to i64
  %57 = icmp eq ptr %51, null
  br i1 %57, label %68, label %58

58:
  %59 = trunc i64 %33 to i32
  %60 = trunc i64 %31 to i32
  %61 = sub i32 %59, %60
  %62 = lshr i64 %33, 16
  %63 = trunc i64 %62 to i32
  %64 = and i32 %63, 2147418112
  %65 = or i32 %64, %32
  %66 = lshr exact i64 %53, 32
  %67 = trunc i64 %66 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %55, i32 %59, i32 %61, i32 %67, i32 %65) #8
  br label %68

68:
  %69 = trunc i64 %52 to i32
  %70 = add i32 %69, -1
  %71 = zext i32 %70 to i64
  %72 = lshr i64 %33, 32
  %73 = trunc i64 %72 to i32
  %74 = lshr i64 %31, 32
  %75 = trunc i64 %74 to i32
  %76 = sub i32 %73, %75
  %77 = zext i32 %76 to i64
  %78 = shl nuw i64 %77, 32
  %79 = or disjoint i64 %78, %71
  %80 = and i32 %70, -2147483648
  %81 = or i32 %80, %76
  %82 = zext i32 %81 to i64
  %83 = or disjoint i64 %53, %82
  store i64 %19, ptr %18, align 64
  store i64 %21, ptr %20, align 8
  store i64 %56, ptr %22, align 16
  store i64 %79, ptr %24, align 8
  store i64 %83, ptr %26, align 32
  store i64 %29, ptr %28, align 8
  store i64 %31, ptr %30, align 16
  br label %84

84:
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 0
}

define dso_local i64 @lanescope_mark(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = shl i32 %3, 1
  %5 = and i32 %4, -64
  %6 = zext i32 %5 to i64
  %7 = getelementptr inbounds i8, ptr addrspace(3) @_ZN9lanescopeL6placesE, i64 %6
  %8 = ptrtoint ptr addrspace(3) %7 to i64
  %9 = trunc i64 %8 to i32
  %10 = and i32 %3, 31
  %11 = icmp eq i32 %10, 0
  %12 = or disjoint i32 %9, 1
  %13 = select i1 %11, i32 %12, i32 -1
  %14 = icmp eq i32 %13, %0
  br i1 %14, label %15, label %74

15:
  %16 = add i32 %0, -1
  %17 = zext i32 %16 to i64
  %18 = inttoptr i64 %17 to ptr addrspace(3)
  %19 = addrspacecast ptr addrspace(3) %18 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %19, i64 64) ]
  %20 = load i64, ptr %19, align 64
  %21 = getelementptr inbounds i64, ptr %19, i64 1
  %22 = load i64, ptr %21, align 8
  %23 = getelementptr inbounds i64, ptr %19, i64 2
  %24 = load i64, ptr %23, align 16
  %25 = getelementptr inbounds i64, ptr %19, i64 3
  %26 = load i64, ptr %25, align 8
  %27 = getelementptr inbounds i64, ptr %19, i64 4
  %28 = load i64, ptr %27, align 32
  %29 = getelementptr inbounds i64, ptr %19, i64 5
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds i64, ptr %19, i64 6
  %32 = load i64, ptr %31, align 16
  %33 = and i64 %30, 1095216660480
  %34 = icmp eq i64 %33, 0
  %35 = and i64 %28, 4294967295
  %36 = icmp eq i64 %35, 0
  %37 = select i1 %34, i1 true, i1 %36
  br i1 %37, label %50, label %38, !prof !8

38:
  %39 = inttoptr i64 %20 to ptr
  %40 = inttoptr i64 %24 to ptr
  %41 = lshr i64 %26, 32
  %42 = trunc i64 %41 to i32
  %43 = trunc i64 %26 to i32
  %44 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %39, ptr noundef %40, i32 noundef %42, i32 noundef %43) #7
  %45 = ptrtoint ptr %44 to i64
  %46 = icmp slt i32 %43, 0
  %47 = and i64 %26, 4294967295
  %48 = select i1 %46, i64 1023, i64 %47
  %49 = and i64 %28, -4294967296
  br label %50

50:
  %51 = phi i64 [ %24, %15 ], [ %45, %38 ]
  %52 = phi i64 [ %26, %15 ], [ %48, %38 ]
  %53 = phi i64 [ %28, %15 ], [ %49, %38 ]
  %54 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %55 = icmp eq i64 %20, 0
  %56 = select i1 %34, i1 true, i1 %55
  br i1 %56, label %57, label %59

57:
  %58 = and i32 %1, 32767
  br label %69

59:
  %60 = lshr i64 %54, 32
  %61 = trunc i64 %60 to i32
  %62 = trunc i64 %54 to i32
  %63 = and i32 %1, 32767
  %64 = or disjoint i32 %63, 32768
  %65 = inttoptr i64 %22 to ptr
  %66 = getelementptr inbounds %struct.ls_slice_now, ptr %65, i64 0, i32 3
  %67 = lshr i64 %53, 32
  %68 = trunc i64 %67 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %66, i32 %62, i32 %61, i32 %68, i32 %64) #8
  br label %69

69:
  %70 = phi i32 [ %58, %57 ], [ %63, %59 ]
  %71 = zext nneg i32 %70 to i64
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %51, ptr %23, align 16
  store i64 %52, ptr %25, align 8
  store i64 %53, ptr %27, align 32
  store i64 %30, ptr %29, align 8
  store i64 %32, ptr %31, align 16
  %72 = shl i64 %54, 16
  %73 = or disjoint i64 %72, %71
  br label %74

74:
  %75 = phi i64 [ %73, %69 ], [ 0, %2 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i64 %75
}

define dso_local noundef i32 @lanescope_done(i32 noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = shl i32 %3, 1
  %5 = and i32 %4, -64
  %6 = zext i32 %5 to i64
  %7 = getelementptr inbounds i8, ptr addrspace(3) @_ZN9lanescopeL6placesE, i64 %6
  %8 = ptrtoint ptr addrspace(3) %7 to i64
  %9 = trunc i64 %8 to i32
  %10 = and i32 %3, 31
  %11 = icmp eq i32 %10, 0
  %12 = or disjoint i32 %9, 1
  %13 = select i1 %11, i32 %12, i32 -1
  %14 = icmp eq i32 %13, %0
  br i1 %14, label %15, label %99

15:
  %16 = add i32 %0, -1
  %17 = zext i32 %16 to i64
  %18 = inttoptr i64 %17 to ptr addrspace(3)
  %19 = addrspacecast ptr addrspace(3) %18 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %19, i64 64) ]
  %20 = load i64, ptr %19, align 64
  %21 = getelementptr inbounds i64, ptr %19, i64 1
  %22 = load i64, ptr %21, align 8
  %23 = getelementptr inbounds i64, ptr %19, i64 2
  %24 = load i64, ptr %23, align 16
  %25 = getelementptr inbounds i64, ptr %19, i64 3
  %26 = load i64, ptr %25, align 8
  %27 = getelementptr inbounds i64, ptr %19, i64 4
  %28 = load i64, ptr %27, align 32
  %29 = getelementptr inbounds i64, ptr %19, i64 5
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds i64, ptr %19, i64 6
  %32 = load i64, ptr %31, align 16
  %33 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %34 = lshr i64 %1, 16
  %35 = sub i64 %33, %34
  %36 = and i64 %35, 281474976710655
  %37 = sub i64 %33, %36
  %38 = and i64 %30, 1095216660480
  %39 = icmp eq i64 %38, 0
  br i1 %39, label %95, label %40

40:
  %41 = trunc i64 %1 to i32
  %42 = and i32 %41, 32767
  %43 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %44 = and i64 %28, 4294967295
  %45 = icmp eq i64 %44, 0
  br i1 %45, label %46, label %49, !prof !3

46:
  %47 = inttoptr i64 %24 to ptr
  %48 = inttoptr i64 %20 to ptr
  br label %60

49:
  %50 = inttoptr i64 %20 to ptr
  %51 = inttoptr i64 %24 to ptr
  %52 = lshr i64 %26, 32
  %53 = trunc i64 %52 to i32
  %54 = trunc i64 %26 to i32
  %55 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %50, ptr noundef %51, i32 noundef %53, i32 noundef %54) #7
  %56 = icmp slt i32 %54, 0
  %57 = and i64 %26, 4294967295
  %58 = select i1 %56, i64 1023, i64 %57
  %59 = and i64 %28, -4294967296
  br label %60

60:
  %61 = phi ptr [ %50, %49 ], [ %48, %46 ]
  %62 = phi i64 [ %58, %49 ], [ %26, %46 ]
  %63 = phi i64 [ %59, %49 ], [ %28, %46 ]
  %64 = phi ptr [ %55, %49 ], [ %47, %46 ]
  %65 = getelementptr inbounds i8, ptr %64, i64 16
  %66 = ptrtoint ptr %65 to i64
  %67 = icmp eq ptr %61, null
  br i1 %67, label %79, label %68

68:
  %69 = trunc i64 %43 to i32
  %70 = trunc i64 %37 to i32
  %71 = sub i32 %69, %70
  %72 = lshr i64 %43, 16
  %73 = trunc i64 %72 to i32
  %74 = and i32 %73, 2147418112
  %75 = or disjoint i32 %42, %74
  %76 = or disjoint i32 %75, 32768
  %77 = lshr exact i64 %63, 32
  %78 = trunc i64 %77 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %65, i32 %69, i32 %71, i32 %78, i32 %76) #8
  br label %79

79:
  %80 = trunc i64 %62 to i32
  %81 = add i32 %80, -1
  %82 = zext i32 %81 to i64
  %83 = lshr i64 %43, 32
  %84 = trunc i64 %83 to i32
  %85 = lshr i64 %37, 32
  %86 = trunc i64 %85 to i32
  %87 = sub i32 %84, %86
  %88 = zext i32 %87 to i64
  %89 = shl nuw i64 %88, 32
  %90 = or disjoint i64 %89, %82
  %91 = and i32 %81, -2147483648
  %92 = or i32 %91, %87
  %93 = zext i32 %92 to i64
  %94 = or disjoint i64 %63, %93
  br label %95

95:
  %96 = phi i64 [ %24, %15 ], [ %66, %79 ]
  %97 = phi i64 [ %26, %15 ], [ %90, %79 ]
  %98 = phi i64 [ %28, %15 ], [ %94, %79 ]
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %96, ptr %23, align 16
  store i64 %97, ptr %25, align 8
  store i64 %98, ptr %27, align 32
  store i64 %30, ptr %29, align 8
  store i64 %32, ptr %31, align 16
  br label %99

99:
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 0
}

define dso_local noundef i32 @lanescope_send(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = shl i32 %3, 1
  %5 = and i32 %4, -64
  %6 = zext i32 %5 to i64
  %7 = getelementptr inbounds i8, ptr addrspace(3) @_ZN9lanescopeL6placesE, i64 %6
  %8 = ptrtoint ptr addrspace(3) %7 to i64
  %9 = trunc i64 %8 to i32
  %10 = and i32 %3, 31
  %11 = icmp eq i32 %10, 0
  %12 = or disjoint i32 %9, 1
  %13 = select i1 %11, i32 %12, i32 -1
  %14 = icmp eq i32 %13, %0
  br i1 %14, label %15, label %82

15:
  %16 = add i32 %0, -1
  %17 = zext i32 %16 to i64
  %18 = inttoptr i64 %17 to ptr addrspace(3)
  %19 = addrspacecast ptr addrspace(3) %18 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %19, i64 64) ]
  %20 = load i64, ptr %19, align 64
  %21 = getelementptr inbounds i64, ptr %19, i64 1
  %22 = load i64, ptr %21, align 8
  %23 = getelementptr inbounds i64, ptr %19, i64 2
  %24 = load i64, ptr %23, align 16
  %25 = getelementptr inbounds i64, ptr %19, i64 3
  %26 = load i64, ptr %25, align 8
  %27 = getelementptr inbounds i64, ptr %19, i64 4
  %28 = load i64, ptr %27, align 32
  %29 = getelementptr inbounds i64, ptr %19, i64 5
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds i64, ptr %19, i64 6
  %32 = load i64, ptr %31, align 16
  %33 = and i64 %30, 1095216660480
  %34 = icmp eq i64 %33, 0
  br i1 %34, label %78, label %35

35:
  %36 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %37 = and i64 %28, 4294967295
  %38 = icmp eq i64 %37, 0
  br i1 %38, label %39, label %42, !prof !3

39:
  %40 = inttoptr i64 %24 to ptr
  %41 = inttoptr i64 %20 to ptr
  br label %53

42:
  %43 = inttoptr i64 %20 to ptr
  %44 = inttoptr i64 %24 to ptr
  %45 = lshr i64 %26, 32
  %46 = trunc i64 %45 to i32
  %47 = trunc i64 %26 to i32
  %48 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %43, ptr noundef %44, i32 noundef %46, i32 noundef %47) #7
  %49 = icmp slt i32 %47, 0
  %50 = and i64 %26, 4294967295
  %51 = select i1 %49, i64 1023, i64 %50
  %52 = and i64 %28, -4294967296
  br label %53

53:
  %54 = phi ptr [ %43, %42 ], [ %41, %39 ]
  %55 = phi i64 [ %51, %42 ], [ %26, %39 ]
  %56 = phi i64 [ %52, %42 ], [ %28, %39 ]
  %57 = phi ptr [ %48, %42 ], [ %40, %39 ]
  %58 = getelementptr inbounds i8, ptr %57, i64 16
  %59 = ptrtoint ptr %58 to i64
  %60 = icmp eq ptr %54, null
  br i1 %60, label %69, label %61

61:
  %62 = trunc i64 %36 to i32
  %63 = lshr i64 %36, 16
  %64 = trunc i64 %63 to i32
  %65 = and i32 %64, 2147418112
  %66 = or disjoint i32 %65, 65534
  %67 = lshr exact i64 %56, 32
  %68 = trunc i64 %67 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %58, i32 %62, i32 %1, i32 %68, i32 %66) #8
  br label %69

69:
  %70 = trunc i64 %55 to i32
  %71 = add i32 %70, -1
  %72 = zext i32 %71 to i64
  %73 = and i64 %55, -4294967296
  %74 = or disjoint i64 %73, %72
  %75 = and i32 %71, -2147483648
  %76 = zext i32 %75 to i64
  %77 = or disjoint i64 %56, %76
  br label %78

78:
  %79 = phi i64 [ %24, %15 ], [ %59, %69 ]
  %80 = phi i64 [ %26, %15 ], [ %74, %69 ]
  %81 = phi i64 [ %28, %15 ], [ %77, %69 ]
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %79, ptr %23, align 16
  store i64 %80, ptr %25, align 8
  store i64 %81, ptr %27, align 32
  store i64 %30, ptr %29, align 8
  store i64 %32, ptr %31, align 16
  br label %82

82:
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 0
}

define dso_local noundef i32 @lanescope_receive(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = shl i32 %3, 1
  %5 = and i32 %4, -64
  %6 = zext i32 %5 to i64
  %7 = getelementptr inbounds i8, ptr addrspace(3) @_ZN9lanescopeL6placesE, i64 %6
  %8 = ptrtoint ptr addrspace(3) %7 to i64
  %9 = trunc i64 %8 to i32
  %10 = and i32 %3, 31
  %11 = icmp eq i32 %10, 0
  %12 = or disjoint i32 %9, 1
  %13 = select i1 %11, i32 %12, i32 -1
  %14 = icmp eq i32 %13, %0
  br i1 %14, label %15, label %82

15:
  %16 = add i32 %0, -1
  %17 = zext i32 %16 to i64
  %18 = inttoptr i64 %17 to ptr addrspace(3)
  %19 = addrspacecast ptr addrspace(3) %18 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %19, i64 64) ]
  %20 = load i64, ptr %19, align 64
  %21 = getelementptr inbounds i64, ptr %19, i64 1
  %22 = load i64, ptr %21, align 8
  %23 = getelementptr inbounds i64, ptr %19, i64 2
  %24 = load i64, ptr %23, align 16
  %25 = getelementptr inbounds i64, ptr %19, i64 3
  %26 = load i64, ptr %25, align 8
  %27 = getelementptr inbounds i64, ptr %19, i64 4
  %28 = load i64, ptr %27, align 32
  %29 = getelementptr inbounds i64, ptr %19, i64 5
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds i64, ptr %19, i64 6
  %32 = load i64, ptr %31, align 16
  %33 = and i64 %30, 1095216660480
  %34 = icmp eq i64 %33, 0
  br i1 %34, label %78, label %35

35:
  %36 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %37 = and i64 %28, 4294967295
  %38 = icmp eq i64 %37, 0
  br i1 %38, label %39, label %42, !prof !3

39:
  %40 = inttoptr i64 %24 to ptr
  %41 = inttoptr i64 %20 to ptr
  br label %53

42:
  %43 = inttoptr i64 %20 to ptr
  %44 = inttoptr i64 %24 to ptr
  %45 = lshr i64 %26, 32
  %46 = trunc i64 %45 to i32
  %47 = trunc i64 %26 to i32
  %48 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %43, ptr noundef %44, i32 noundef %46, i32 noundef %47) #7
  %49 = icmp slt i32 %47, 0
  %50 = and i64 %26, 4294967295
  %51 = select i1 %49, i64 1023, i64 %50
  %52 = and i64 %28, -4294967296
  br label %53

53:
  %54 = phi ptr [ %43, %42 ], [ %41, %39 ]
  %55 = phi i64 [ %51, %42 ], [ %26, %39 ]
  %56 = phi i64 [ %52, %42 ], [ %28, %39 ]
  %57 = phi ptr [ %48, %42 ], [ %40, %39 ]
  %58 = getelementptr inbounds i8, ptr %57, i64 16
  %59 = ptrtoint ptr %58 to i64
  %60 = icmp eq ptr %54, null
  br i1 %60, label %69, label %61

61:
  %62 = trunc i64 %36 to i32
  %63 = lshr i64 %36, 16
  %64 = trunc i64 %63 to i32
  %65 = and i32 %64, 2147418112
  %66 = or disjoint i32 %65, 65535
  %67 = lshr exact i64 %56, 32
  %68 = trunc i64 %67 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %58, i32 %62, i32 %1, i32 %68, i32 %66) #8
  br label %69

69:
  %70 = trunc i64 %55 to i32
  %71 = add i32 %70, -1
  %72 = zext i32 %71 to i64
  %73 = and i64 %55, -4294967296
  %74 = or disjoint i64 %73, %72
  %75 = and i32 %71, -2147483648
  %76 = zext i32 %75 to i64
  %77 = or disjoint i64 %56, %76
  br label %78

78:
  %79 = phi i64 [ %24, %15 ], [ %59, %69 ]
  %80 = phi i64 [ %26, %15 ], [ %74, %69 ]
  %81 = phi i64 [ %28, %15 ], [ %77, %69 ]
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %79, ptr %23, align 16
  store i64 %80, ptr %25, align 8
  store i64 %81, ptr %27, align 32
  store i64 %30, ptr %29, align 8
  store i64 %32, ptr %31, align 16
  br label %82

82:
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 0
}

define dso_local noundef i32 @lanescope_close(i32 noundef %0) local_unnamed_addr #0 {
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = shl i32 %2, 1
  %4 = and i32 %3, -64
  %5 = zext i32 %4 to i64
  %6 = getelementptr inbounds i8, ptr addrspace(3) @_ZN9lanescopeL6placesE, i64 %5
  %7 = ptrtoint ptr addrspace(3) %6 to i64
  %8 = trunc i64 %7 to i32
  %9 = and i32 %2, 31
  %10 = icmp eq i32 %9, 0
  %11 = or disjoint i32 %8, 1
  %12 = select i1 %10, i32 %11, i32 -1
  %13 = icmp eq i32 %12, %0
  br i1 %13, label %14, label %40

14:
  %15 = add i32 %0, -1
  %16 = zext i32 %15 to i64
  %17 = inttoptr i64 %16 to ptr addrspace(3)
  %18 = addrspacecast ptr addrspace(3) %17 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %18, i64 64) ]
  %19 = load i64, ptr %18, align 64
  %20 = getelementptr inbounds i64, ptr %18, i64 1
  %21 = load i64, ptr %20, align 8
  %22 = getelementptr inbounds i64, ptr %18, i64 2
  %23 = load i64, ptr %22, align 16
  %24 = getelementptr inbounds i64, ptr %18, i64 3
  %25 = load i64, ptr %24, align 8
  %26 = getelementptr inbounds i64, ptr %18, i64 4
  %27 = load i64, ptr %26, align 32
  %28 = getelementptr inbounds i64, ptr %18, i64 5
  %29 = load i64, ptr %28, align 8
  %30 = getelementptr inbounds i64, ptr %18, i64 6
  %31 = load i64, ptr %30, align 16
  %32 = icmp eq i64 %19, 0
  br i1 %32, label %39, label %33

33:
  %34 = inttoptr i64 %19 to ptr
  %35 = inttoptr i64 %23 to ptr
  %36 = lshr i64 %25, 32
  %37 = trunc i64 %36 to i32
  %38 = trunc i64 %25 to i32
  tail call fastcc void @_ZN9lanescopeL14give_lane_backEP14ls_handle_lanePhjj(ptr noundef nonnull %34, ptr noundef %35, i32 noundef %37, i32 noundef %38) #7
  br label %39

39:
  store i64 0, ptr %18, align 64
  store i64 %21, ptr %20, align 8
  store i64 %23, ptr %22, align 16
  store i64 %25, ptr %24, align 8
  store i64 %27, ptr %26, align 32
  store i64 %29, ptr %28, align 8
  store i64 %31, ptr %30, align 16
  br label %40

40:
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 0
}

declare void @llvm.assume(i1 noundef) #2

declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.z() #1

declare noundef i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

declare noundef i32 @llvm.nvvm.read.ptx.sreg.nctaid.y() #1

define internal fastcc noundef ptr @_ZN9lanescopeL9take_laneEyjj(i64 noundef %0, i32 noundef %1, i32 noundef %2) unnamed_addr #3 {
  %4 = inttoptr i64 %0 to ptr
  %5 = getelementptr inbounds %struct.ls_handle, ptr %4, i64 1
  %6 = zext i32 %1 to i64
  %7 = getelementptr inbounds %struct.ls_handle, ptr %4, i64 0, i32 6
  %8 = load i32, ptr %7, align 4
  %9 = zext i32 %8 to i64
  %10 = mul nuw i64 %9, %6
  %11 = getelementptr inbounds %struct.ls_handle_lane, ptr %5, i64 %10
  %12 = zext i32 %2 to i64
  %13 = getelementptr inbounds %struct.ls_handle_lane, ptr %11, i64 %12
  %14 = getelementptr inbounds %struct.ls_handle, ptr %4, i64 0, i32 5
  %15 = load i32, ptr %14, align 8
  %16 = icmp ugt i32 %15, %1
  %17 = icmp ugt i32 %8, %2
  %18 = select i1 %16, i1 %17, i1 false
  br i1 %18, label %19, label %27

19:
  %20 = getelementptr inbounds %struct.ls_handle, ptr %4, i64 0, i32 7
  %21 = load i32, ptr %20, align 8
  %22 = icmp eq i32 %21, 1024
  br i1 %22, label %23, label %27

23:
  %24 = getelementptr inbounds %struct.ls_handle_lane, ptr %11, i64 %12, i32 2
  %25 = tail call noundef i32 asm sideeffect "atom.exch.b32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr nonnull %24, i32 1) #8
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %30, label %27

27:
  %28 = getelementptr inbounds %struct.ls_handle, ptr %4, i64 0, i32 11
  %29 = tail call noundef i64 asm sideeffect "atom.add.u64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr nonnull %28, i64 1) #8
  br label %69

30:
  %31 = getelementptr inbounds %struct.ls_handle_lane, ptr %11, i64 %12, i32 4
  %32 = tail call i32 asm sideeffect "mov.u32 $0, %smid;", "=r"() #8
  store i32 %32, ptr %31, align 4
  br label %33

33:
  %34 = phi i64 [ 0, %30 ], [ %49, %33 ]
  %35 = phi i64 [ 0, %30 ], [ %48, %33 ]
  %36 = phi i32 [ -1, %30 ], [ %47, %33 ]
  %37 = phi i32 [ 0, %30 ], [ %50, %33 ]
  %38 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %39 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #8
  %40 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %41 = sub i64 %40, %38
  %42 = trunc i64 %41 to i32
  %43 = icmp ugt i32 %36, %42
  %44 = lshr i64 %41, 1
  %45 = and i64 %44, 2147483647
  %46 = add i64 %45, %38
  %47 = tail call i32 @llvm.umin.i32(i32 %36, i32 %42)
  %48 = select i1 %43, i64 %39, i64 %35
  %49 = select i1 %43, i64 %46, i64 %34
  %50 = add nuw nsw i32 %37, 1
  %51 = icmp eq i32 %50, 3
  br i1 %51, label %52, label %33, !llvm.loop !13

52:
  %53 = getelementptr inbounds %struct.ls_handle_lane, ptr %11, i64 %12, i32 14
  store i64 %49, ptr %53, align 8
  %54 = getelementptr inbounds %struct.ls_handle_lane, ptr %11, i64 %12, i32 15
  store i64 %48, ptr %54, align 8
  %55 = load i64, ptr %4, align 8
  %56 = getelementptr inbounds %struct.ls_handle, ptr %4, i64 0, i32 1
  %57 = load i64, ptr %56, align 8
  %58 = add i64 %57, %55
  %59 = inttoptr i64 %58 to ptr
  %60 = getelementptr inbounds %struct.ls_handle_lane, ptr %11, i64 %12, i32 1
  %61 = load i32, ptr %60, align 8
  %62 = zext i32 %61 to i64
  %63 = getelementptr inbounds %struct.ls_lane, ptr %59, i64 %62, i32 19
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %63, i64 0, i64 0) #8
  %64 = getelementptr inbounds %struct.ls_slice_now, ptr %63, i64 0, i32 3
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %64, i64 0, i64 0) #8
  %65 = getelementptr inbounds %struct.ls_slice_now, ptr %63, i64 0, i32 6
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %65, i64 %49, i64 %48) #8
  %66 = getelementptr inbounds %struct.ls_slice_now, ptr %63, i64 0, i32 8
  %67 = load i32, ptr %31, align 4
  %68 = zext i32 %67 to i64
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %66, i64 %68, i64 0) #8
  br label %69

69:
  %70 = phi ptr [ null, %27 ], [ %13, %52 ]
  ret ptr %70
}

declare void @llvm.nvvm.bar.warp.sync(i32) #4

define internal fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3) unnamed_addr #3 {
  %5 = icmp eq ptr %0, null
  br i1 %5, label %280, label %6

6:
  %7 = icmp eq i32 %2, 0
  br i1 %7, label %27, label %8

8:
  %9 = getelementptr inbounds %struct.ls_slice, ptr %1, i64 -1
  %10 = load i32, ptr %9, align 4
  %11 = getelementptr %struct.ls_slice, ptr %1, i64 -1, i32 1
  %12 = load i32, ptr %11, align 4
  %13 = icmp ugt i32 %12, %10
  %14 = sext i1 %13 to i32
  %15 = add i32 %14, %2
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %27, label %17

17:
  %18 = zext i32 %15 to i64
  %19 = shl nuw i64 %18, 32
  %20 = zext i32 %12 to i64
  %21 = or disjoint i64 %19, %20
  %22 = lshr i64 %21, 16
  %23 = trunc i64 %22 to i32
  %24 = getelementptr %struct.ls_slice, ptr %1, i64 -1, i32 3
  store i32 %23, ptr %11, align 4
  %25 = load i32, ptr %24, align 4
  %26 = or i32 %25, -2147483648
  store i32 %26, ptr %24, align 4
  br label %27

27:
  %28 = icmp sgt i32 %3, -1
  br i1 %28, label %280, label %29

29:
  %30 = load i64, ptr %0, align 8
  %31 = inttoptr i64 %30 to ptr
  %32 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 3
  %33 = load i32, ptr %32, align 8
  switch i32 %33, label %89 [
    i32 1, label %34
    i32 2, label %76
  ]

34:
  %35 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 7
  %36 = load i64, ptr %35, align 8
  %37 = load i64, ptr %31, align 8
  %38 = getelementptr inbounds %struct.ls_handle, ptr %31, i64 0, i32 1
  %39 = load i64, ptr %38, align 8
  %40 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 1
  %41 = load i32, ptr %40, align 8
  br label %42

42:
  %43 = phi i64 [ 0, %34 ], [ %58, %42 ]
  %44 = phi i64 [ 0, %34 ], [ %57, %42 ]
  %45 = phi i32 [ -1, %34 ], [ %56, %42 ]
  %46 = phi i32 [ 0, %34 ], [ %59, %42 ]
  %47 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %48 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #8
  %49 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %50 = sub i64 %49, %47
  %51 = trunc i64 %50 to i32
  %52 = icmp ugt i32 %45, %51
  %53 = lshr i64 %50, 1
  %54 = and i64 %53, 2147483647
  %55 = add i64 %54, %47
  %56 = tail call i32 @llvm.umin.i32(i32 %45, i32 %51)
  %57 = select i1 %52, i64 %48, i64 %44
  %58 = select i1 %52, i64 %55, i64 %43
  %59 = add nuw nsw i32 %46, 1
  %60 = icmp eq i32 %59, 3
  br i1 %60, label %61, label %42, !llvm.loop !13

61:
  %62 = add i64 %39, %37
  %63 = inttoptr i64 %62 to ptr
  %64 = zext i32 %41 to i64
  %65 = inttoptr i64 %36 to ptr
  %66 = getelementptr inbounds i8, ptr %65, i64 96
  store i64 %58, ptr %66, align 8
  %67 = getelementptr inbounds i8, ptr %65, i64 104
  store i64 %57, ptr %67, align 8
  %68 = getelementptr inbounds %struct.ls_buffer, ptr %65, i64 0, i32 2
  store i32 1028, ptr %68, align 4
  %69 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 8
  %70 = load i64, ptr %69, align 8
  %71 = add i64 %70, 1024
  store i64 %71, ptr %69, align 8
  %72 = getelementptr inbounds %struct.ls_lane, ptr %63, i64 %64, i32 11
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %72, i64 %71) #8
  %73 = getelementptr inbounds %struct.ls_lane, ptr %63, i64 %64, i32 14
  %74 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 10
  %75 = load i64, ptr %74, align 8
  tail call void asm sideeffect "st.release.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %73, i64 %75) #8
  store i32 0, ptr %32, align 8
  br label %89

76:
  %77 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 9
  %78 = load i64, ptr %77, align 8
  %79 = add i64 %78, 1024
  store i64 %79, ptr %77, align 8
  %80 = load i64, ptr %31, align 8
  %81 = getelementptr inbounds %struct.ls_handle, ptr %31, i64 0, i32 1
  %82 = load i64, ptr %81, align 8
  %83 = add i64 %82, %80
  %84 = inttoptr i64 %83 to ptr
  %85 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 1
  %86 = load i32, ptr %85, align 8
  %87 = zext i32 %86 to i64
  %88 = getelementptr inbounds %struct.ls_lane, ptr %84, i64 %87, i32 12
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %88, i64 %79) #8
  br label %89

89:
  %90 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 10
  %91 = load i64, ptr %90, align 8
  %92 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 11
  %93 = load i64, ptr %92, align 8
  %94 = sub i64 %91, %93
  %95 = getelementptr inbounds %struct.ls_handle, ptr %31, i64 0, i32 8
  %96 = load i32, ptr %95, align 4
  %97 = zext i32 %96 to i64
  %98 = icmp ult i64 %94, %97
  br i1 %98, label %115, label %99

99:
  %100 = load i64, ptr %31, align 8
  %101 = getelementptr inbounds %struct.ls_handle, ptr %31, i64 0, i32 1
  %102 = load i64, ptr %101, align 8
  %103 = add i64 %102, %100
  %104 = inttoptr i64 %103 to ptr
  %105 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 1
  %106 = load i32, ptr %105, align 8
  %107 = zext i32 %106 to i64
  %108 = getelementptr inbounds %struct.ls_lane, ptr %104, i64 %107, i32 24
  %109 = tail call noundef i64 asm sideeffect "ld.acquire.sys.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %108) #8
  store i64 %109, ptr %92, align 8
  %110 = load i64, ptr %90, align 8
  %111 = sub i64 %110, %109
  %112 = load i32, ptr %95, align 4
  %113 = zext i32 %112 to i64
  %114 = icmp ult i64 %111, %113
  br i1 %114, label %115, label %125

115:
  %116 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 12
  %117 = load i64, ptr %116, align 8
  %118 = icmp eq i64 %117, 0
  br i1 %118, label %194, label %119

119:
  %120 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 13
  %121 = load i64, ptr %120, align 8
  %122 = icmp eq i64 %121, 0
  br i1 %122, label %123, label %194

123:
  %124 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #8
  br label %190

125:
  %126 = load i64, ptr %31, align 8
  %127 = load i64, ptr %101, align 8
  %128 = add i64 %127, %126
  %129 = inttoptr i64 %128 to ptr
  %130 = load i32, ptr %105, align 8
  %131 = zext i32 %130 to i64
  %132 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 13
  %133 = load i64, ptr %132, align 8
  %134 = icmp eq i64 %133, 0
  br i1 %134, label %135, label %276

135:
  %136 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 12
  %137 = load i64, ptr %136, align 8
  %138 = icmp eq i64 %137, 0
  br i1 %138, label %139, label %142

139:
  %140 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #8
  %141 = or i64 %140, 1
  br label %142

142:
  %143 = phi i64 [ %141, %139 ], [ %137, %135 ]
  store i64 %143, ptr %136, align 8
  store i64 0, ptr %132, align 8
  %144 = getelementptr inbounds %struct.ls_lane, ptr %129, i64 %131, i32 15
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %144, i64 %143) #8
  %145 = getelementptr inbounds %struct.ls_lane, ptr %129, i64 %131, i32 16
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %145, i64 0) #8
  %146 = getelementptr inbounds %struct.ls_handle, ptr %31, i64 0, i32 9
  %147 = getelementptr inbounds %struct.ls_handle, ptr %31, i64 0, i32 4
  br label %148

148:
  %149 = load i32, ptr %146, align 8
  %150 = icmp eq i32 %149, 0
  br i1 %150, label %151, label %182

151:
  %152 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #8
  %153 = or i64 %152, 1
  %154 = sub i64 %153, %143
  %155 = load i64, ptr %147, align 8
  %156 = icmp ult i64 %154, %155
  br i1 %156, label %159, label %157

157:
  %158 = load i32, ptr %146, align 8
  br label %182

159:
  tail call void asm sideeffect "nanosleep.u32 $0;", "r"(i32 200) #8
  %160 = load i64, ptr %90, align 8
  %161 = load i64, ptr %92, align 8
  %162 = sub i64 %160, %161
  %163 = load i32, ptr %95, align 4
  %164 = zext i32 %163 to i64
  %165 = icmp ult i64 %162, %164
  br i1 %165, label %180, label %166

166:
  %167 = load i64, ptr %31, align 8
  %168 = load i64, ptr %101, align 8
  %169 = add i64 %168, %167
  %170 = inttoptr i64 %169 to ptr
  %171 = load i32, ptr %105, align 8
  %172 = zext i32 %171 to i64
  %173 = getelementptr inbounds %struct.ls_lane, ptr %170, i64 %172, i32 24
  %174 = tail call noundef i64 asm sideeffect "ld.acquire.sys.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %173) #8
  store i64 %174, ptr %92, align 8
  %175 = load i64, ptr %90, align 8
  %176 = sub i64 %175, %174
  %177 = load i32, ptr %95, align 4
  %178 = zext i32 %177 to i64
  %179 = icmp ult i64 %176, %178
  br i1 %179, label %180, label %148, !llvm.loop !21

180:
  %181 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #8
  br label %190

182:
  %183 = phi i32 [ %158, %157 ], [ %149, %148 ]
  %184 = icmp eq i32 %183, 1
  br i1 %184, label %188, label %185

185:
  %186 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #8
  %187 = or i64 %186, 1
  br label %188

188:
  %189 = phi i64 [ %187, %185 ], [ %143, %182 ]
  store i64 %143, ptr %136, align 8
  store i64 %189, ptr %132, align 8
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %144, i64 %143) #8
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %145, i64 %189) #8
  br label %276

190:
  %191 = phi i64 [ %181, %180 ], [ %124, %123 ]
  %192 = phi ptr [ %132, %180 ], [ %120, %123 ]
  %193 = or i64 %191, 1
  store i64 %193, ptr %192, align 8
  br label %194

194:
  %195 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 1
  %196 = load i32, ptr %195, align 8
  %197 = zext i32 %196 to i64
  %198 = load i32, ptr %95, align 4
  %199 = zext i32 %198 to i64
  %200 = mul nuw i64 %199, %197
  %201 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 5
  %202 = load i32, ptr %201, align 8
  %203 = zext i32 %202 to i64
  %204 = add nuw i64 %200, %203
  %205 = load i64, ptr %31, align 8
  %206 = getelementptr inbounds %struct.ls_handle, ptr %31, i64 0, i32 2
  %207 = load i64, ptr %206, align 8
  %208 = add i64 %207, %205
  %209 = getelementptr inbounds %struct.ls_handle, ptr %31, i64 0, i32 3
  %210 = load i64, ptr %209, align 8
  %211 = mul i64 %210, %204
  %212 = add i64 %208, %211
  %213 = inttoptr i64 %212 to ptr
  %214 = getelementptr inbounds %struct.ls_handle, ptr %31, i64 0, i32 1
  %215 = load i64, ptr %214, align 8
  %216 = add i64 %215, %205
  %217 = load i64, ptr %90, align 8
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr %213, i64 %217, i64 %197) #8
  %218 = getelementptr inbounds i8, ptr %213, i64 16
  %219 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 8
  %220 = load i64, ptr %219, align 8
  %221 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 9
  %222 = load i64, ptr %221, align 8
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %218, i64 %220, i64 %222) #8
  %223 = getelementptr inbounds i8, ptr %213, i64 32
  %224 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 12
  %225 = load i64, ptr %224, align 8
  %226 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 13
  %227 = load i64, ptr %226, align 8
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %223, i64 %225, i64 %227) #8
  br label %228

228:
  %229 = phi i64 [ 0, %194 ], [ %244, %228 ]
  %230 = phi i64 [ 0, %194 ], [ %243, %228 ]
  %231 = phi i32 [ -1, %194 ], [ %242, %228 ]
  %232 = phi i32 [ 0, %194 ], [ %245, %228 ]
  %233 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %234 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #8
  %235 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %236 = sub i64 %235, %233
  %237 = trunc i64 %236 to i32
  %238 = icmp ugt i32 %231, %237
  %239 = lshr i64 %236, 1
  %240 = and i64 %239, 2147483647
  %241 = add i64 %240, %233
  %242 = tail call i32 @llvm.umin.i32(i32 %231, i32 %237)
  %243 = select i1 %238, i64 %234, i64 %230
  %244 = select i1 %238, i64 %241, i64 %229
  %245 = add nuw nsw i32 %232, 1
  %246 = icmp eq i32 %245, 3
  br i1 %246, label %247, label %228, !llvm.loop !13

247:
  %248 = inttoptr i64 %216 to ptr
  %249 = getelementptr inbounds i8, ptr %213, i64 64
  %250 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 14
  %251 = load i64, ptr %250, align 8
  %252 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 15
  %253 = load i64, ptr %252, align 8
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %249, i64 %251, i64 %253) #8
  %254 = getelementptr inbounds i8, ptr %213, i64 80
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %254, i64 %244, i64 %243) #8
  %255 = getelementptr inbounds i8, ptr %213, i64 96
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %255, i64 0, i64 0) #8
  %256 = getelementptr inbounds i8, ptr %213, i64 112
  %257 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 4
  %258 = load i32, ptr %257, align 4
  %259 = zext i32 %258 to i64
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %256, i64 %259, i64 0) #8
  %260 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 7
  store i64 %212, ptr %260, align 8
  %261 = load i64, ptr %90, align 8
  %262 = add i64 %261, 1
  store i64 %262, ptr %90, align 8
  %263 = load i32, ptr %201, align 8
  %264 = add i32 %263, 1
  store i32 %264, ptr %201, align 8
  %265 = load i32, ptr %95, align 4
  %266 = icmp eq i32 %264, %265
  %267 = select i1 %266, i32 0, i32 %264
  store i32 %267, ptr %201, align 8
  %268 = getelementptr inbounds %struct.ls_lane, ptr %248, i64 %197, i32 13
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %268, i64 %262) #8
  %269 = load i64, ptr %224, align 8
  %270 = icmp eq i64 %269, 0
  br i1 %270, label %274, label %271

271:
  %272 = getelementptr inbounds %struct.ls_lane, ptr %248, i64 %197, i32 15
  %273 = getelementptr inbounds %struct.ls_lane, ptr %248, i64 %197, i32 16
  store i64 0, ptr %224, align 8
  store i64 0, ptr %226, align 8
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %272, i64 0) #8
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %273, i64 0) #8
  br label %274

274:
  store i32 1, ptr %32, align 8
  %275 = getelementptr inbounds i8, ptr %213, i64 128
  br label %280

276:
  store i32 2, ptr %32, align 8
  %277 = getelementptr inbounds %struct.ls_handle, ptr %31, i64 0, i32 12
  %278 = load i64, ptr %277, align 8
  %279 = inttoptr i64 %278 to ptr
  br label %280

280:
  %281 = phi ptr [ null, %4 ], [ %1, %27 ], [ %275, %274 ], [ %279, %276 ]
  ret ptr %281
}

define internal fastcc void @_ZN9lanescopeL14give_lane_backEP14ls_handle_lanePhjj(ptr noundef %0, ptr nocapture noundef %1, i32 noundef %2, i32 noundef %3) unnamed_addr #3 {
  %5 = load i64, ptr %0, align 8
  %6 = icmp eq i32 %2, 0
  br i1 %6, label %26, label %7

7:
  %8 = getelementptr inbounds %struct.ls_slice, ptr %1, i64 -1
  %9 = load i32, ptr %8, align 4
  %10 = getelementptr %struct.ls_slice, ptr %1, i64 -1, i32 1
  %11 = load i32, ptr %10, align 4
  %12 = icmp ugt i32 %11, %9
  %13 = sext i1 %12 to i32
  %14 = add i32 %13, %2
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %26, label %16

16:
  %17 = zext i32 %14 to i64
  %18 = shl nuw i64 %17, 32
  %19 = zext i32 %11 to i64
  %20 = or disjoint i64 %18, %19
  %21 = lshr i64 %20, 16
  %22 = trunc i64 %21 to i32
  %23 = getelementptr %struct.ls_slice, ptr %1, i64 -1, i32 3
  store i32 %22, ptr %10, align 4
  %24 = load i32, ptr %23, align 4
  %25 = or i32 %24, -2147483648
  store i32 %25, ptr %23, align 4
  br label %26

26:
  %27 = inttoptr i64 %5 to ptr
  %28 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 3
  %29 = load i32, ptr %28, align 8
  switch i32 %29, label %90 [
    i32 1, label %30
    i32 2, label %75
  ]

30:
  %31 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 7
  %32 = load i64, ptr %31, align 8
  %33 = load i64, ptr %27, align 8
  %34 = getelementptr inbounds %struct.ls_handle, ptr %27, i64 0, i32 1
  %35 = load i64, ptr %34, align 8
  %36 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 1
  %37 = load i32, ptr %36, align 8
  br label %38

38:
  %39 = phi i64 [ 0, %30 ], [ %54, %38 ]
  %40 = phi i64 [ 0, %30 ], [ %53, %38 ]
  %41 = phi i32 [ -1, %30 ], [ %52, %38 ]
  %42 = phi i32 [ 0, %30 ], [ %55, %38 ]
  %43 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %44 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #8
  %45 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #8
  %46 = sub i64 %45, %43
  %47 = trunc i64 %46 to i32
  %48 = icmp ugt i32 %41, %47
  %49 = lshr i64 %46, 1
  %50 = and i64 %49, 2147483647
  %51 = add i64 %50, %43
  %52 = tail call i32 @llvm.umin.i32(i32 %41, i32 %47)
  %53 = select i1 %48, i64 %44, i64 %40
  %54 = select i1 %48, i64 %51, i64 %39
  %55 = add nuw nsw i32 %42, 1
  %56 = icmp eq i32 %55, 3
  br i1 %56, label %57, label %38, !llvm.loop !13

57:
  %58 = sub i32 1023, %3
  %59 = add i64 %35, %33
  %60 = inttoptr i64 %59 to ptr
  %61 = zext i32 %37 to i64
  %62 = inttoptr i64 %32 to ptr
  %63 = getelementptr inbounds i8, ptr %62, i64 96
  store i64 %54, ptr %63, align 8
  %64 = getelementptr inbounds i8, ptr %62, i64 104
  store i64 %53, ptr %64, align 8
  %65 = sub i32 1027, %3
  %66 = getelementptr inbounds %struct.ls_buffer, ptr %62, i64 0, i32 2
  store i32 %65, ptr %66, align 4
  %67 = zext i32 %58 to i64
  %68 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 8
  %69 = load i64, ptr %68, align 8
  %70 = add i64 %69, %67
  store i64 %70, ptr %68, align 8
  %71 = getelementptr inbounds %struct.ls_lane, ptr %60, i64 %61, i32 11
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %71, i64 %70) #8
  %72 = getelementptr inbounds %struct.ls_lane, ptr %60, i64 %61, i32 14
  %73 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 10
  %74 = load i64, ptr %73, align 8
  tail call void asm sideeffect "st.release.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %72, i64 %74) #8
  br label %90

75:
  %76 = sub i32 1023, %3
  %77 = zext i32 %76 to i64
  %78 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 9
  %79 = load i64, ptr %78, align 8
  %80 = add i64 %79, %77
  store i64 %80, ptr %78, align 8
  %81 = load i64, ptr %27, align 8
  %82 = getelementptr inbounds %struct.ls_handle, ptr %27, i64 0, i32 1
  %83 = load i64, ptr %82, align 8
  %84 = add i64 %83, %81
  %85 = inttoptr i64 %84 to ptr
  %86 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 1
  %87 = load i32, ptr %86, align 8
  %88 = zext i32 %87 to i64
  %89 = getelementptr inbounds %struct.ls_lane, ptr %85, i64 %88, i32 12
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %89, i64 %80) #8
  br label %90

90:
  store i32 0, ptr %28, align 8
  %91 = load i64, ptr %27, align 8
  %92 = getelementptr inbounds %struct.ls_handle, ptr %27, i64 0, i32 1
  %93 = load i64, ptr %92, align 8
  %94 = add i64 %93, %91
  %95 = inttoptr i64 %94 to ptr
  %96 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 1
  %97 = load i32, ptr %96, align 8
  %98 = zext i32 %97 to i64
  %99 = getelementptr inbounds %struct.ls_lane, ptr %95, i64 %98, i32 20
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %99, i64 0, i64 0) #8
  tail call void @llvm.nvvm.membar.gl()
  %100 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 2
  %101 = tail call noundef i32 asm sideeffect "atom.exch.b32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr nonnull %100, i32 0) #8
  ret void
}

declare void @llvm.nvvm.membar.gl() #5

declare i32 @llvm.umin.i32(i32, i32) #6

attributes #0 = { alwaysinline convergent mustprogress nounwind }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #3 = { convergent mustprogress alwaysinline nounwind }
attributes #4 = { convergent nocallback nounwind }
attributes #5 = { nocallback nounwind }
attributes #6 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #7 = { convergent nobuiltin }
attributes #8 = { convergent nounwind }


!3 = !{!"branch_weights", i32 2000, i32 1}
!8 = !{!"branch_weights", i32 4001, i32 1}
!13 = distinct !{!13, !14, !15}
!14 = !{!"llvm.loop.mustprogress"}
!15 = !{!"llvm.loop.unroll.count", i32 1}
!21 = distinct !{!21, !14}
