; sources 783c435812c0e314d0af52e71fec647e2fc77d45051c80adbc98aaa20ed705b2
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%"class.lanescope::LaneOf" = type <{ ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i64, i8, [7 x i8] }>
%struct.ls_handle = type { i64, i64, i32, i32, i32, i32, i32, i32, i64, i64, i64 }
%struct.ls_handle_lane = type { %struct.ls_buffer, %struct.ls_slice_clock, i64, i64, i64, i64, i64, i32, i32, i32, i32, i64 }
%struct.ls_buffer = type { i64, i32, i32, i64, i64, i64, i64, i64, i64 }
%struct.ls_slice_clock = type { i64, i64, i64, i64, i64, i64, i64, i64 }
%struct.ls_lane = type { i32, i32, i32, i32, i32, i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, [4 x i64], i64, i64, i64, i64, i64, i64, [6 x i64] }
%struct.ls_slice_now = type { i64, i32, i32, i64, i32, i32, i64, i64, i64, i64 }
%struct.ls_slice = type { i32, i32, i32, i32 }

@_ZN9lanescopeL6placesE = internal addrspace(3) global [2048 x i8] undef, align 1024

define dso_local i32 @lanescope_per_block(i64 noundef %0) local_unnamed_addr #0 {
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = icmp eq i32 %2, 0
  %4 = icmp ne i64 %0, 0
  %5 = and i1 %3, %4
  br i1 %5, label %6, label %51

6:
  %7 = or disjoint i32 ptrtoint (ptr addrspace(3) @_ZN9lanescopeL6placesE to i32), 1
  %8 = and i64 ptrtoint (ptr addrspace(3) @_ZN9lanescopeL6placesE to i64), 4294966272
  %9 = inttoptr i64 %8 to ptr addrspace(3)
  %10 = addrspacecast ptr addrspace(3) %9 to ptr
  call void @llvm.assume(i1 true) [ "align"(ptr %10, i64 64) ]
  store ptr null, ptr %10, align 64
  %11 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 1
  store ptr null, ptr %11, align 8
  %12 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 2
  store ptr null, ptr %12, align 16
  %13 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 3
  store i32 -1, ptr %13, align 8
  %14 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 4
  store i32 0, ptr %14, align 4
  %15 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 5
  store i32 0, ptr %15, align 32
  %16 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 6
  store i32 1, ptr %16, align 4
  %17 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 7
  store i32 -1, ptr %17, align 8
  %18 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 8
  store i32 0, ptr %18, align 4
  %19 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 9
  store i64 0, ptr %19, align 16
  %20 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 10
  store i8 0, ptr %20, align 8
  %21 = and i64 %0, 281474976710655
  %22 = icmp eq i64 %21, 0
  br i1 %22, label %41, label %23

23:
  %24 = inttoptr i64 %21 to ptr
  %25 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %26 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %27 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %28 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %29 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %30 = mul i32 %28, %29
  %31 = add i32 %30, %27
  %32 = mul i32 %31, %26
  %33 = add i32 %32, %25
  %34 = getelementptr inbounds %struct.ls_handle, ptr %24, i64 0, i32 7
  %35 = load i32, ptr %34, align 4
  %36 = icmp ne i32 %35, 0
  %37 = zext i1 %36 to i8
  store i8 %37, ptr %20, align 8
  %38 = lshr i64 %0, 48
  %39 = trunc i64 %38 to i32
  %40 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEP9ls_handlejjj(ptr noundef nonnull %24, i32 noundef %33, i32 noundef 0, i32 noundef %39) #8
  br label %41

41:
  %42 = phi ptr [ %40, %23 ], [ null, %6 ]
  store ptr %42, ptr %10, align 64
  %43 = icmp eq ptr %42, null
  br i1 %43, label %49, label %44

44:
  %45 = getelementptr inbounds %struct.ls_handle_lane, ptr %42, i64 0, i32 3
  %46 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %45) #9
  %47 = inttoptr i64 %46 to ptr
  %48 = getelementptr inbounds %struct.ls_lane, ptr %47, i64 0, i32 19
  br label %49

49:
  %50 = phi ptr [ %48, %44 ], [ null, %41 ]
  store ptr %50, ptr %11, align 8
  br label %51

51:
  %52 = phi i32 [ %7, %49 ], [ 0, %1 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %52
}

declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

define dso_local i32 @lanescope_per_thread(i64 noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = icmp eq i32 %4, %2
  %6 = icmp ne i64 %0, 0
  %7 = and i1 %6, %5
  br i1 %7, label %8, label %63

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
  store ptr null, ptr %22, align 64
  %23 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 1
  store ptr null, ptr %23, align 8
  %24 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 2
  store ptr null, ptr %24, align 16
  %25 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 3
  store i32 -1, ptr %25, align 8
  %26 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 4
  store i32 0, ptr %26, align 4
  %27 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 5
  store i32 0, ptr %27, align 32
  %28 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 6
  store i32 1, ptr %28, align 4
  %29 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 7
  store i32 -1, ptr %29, align 8
  %30 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 8
  store i32 0, ptr %30, align 4
  %31 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 9
  store i64 0, ptr %31, align 16
  %32 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 10
  store i8 0, ptr %32, align 8
  %33 = and i64 %0, 281474976710655
  %34 = icmp eq i64 %33, 0
  br i1 %34, label %53, label %35

35:
  %36 = inttoptr i64 %33 to ptr
  %37 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %38 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %39 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %40 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %41 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %42 = mul i32 %40, %41
  %43 = add i32 %42, %39
  %44 = mul i32 %43, %38
  %45 = add i32 %44, %37
  %46 = getelementptr inbounds %struct.ls_handle, ptr %36, i64 0, i32 7
  %47 = load i32, ptr %46, align 4
  %48 = icmp ne i32 %47, 0
  %49 = zext i1 %48 to i8
  store i8 %49, ptr %32, align 8
  %50 = lshr i64 %0, 48
  %51 = trunc i64 %50 to i32
  %52 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEP9ls_handlejjj(ptr noundef nonnull %36, i32 noundef %45, i32 noundef %1, i32 noundef %51) #8
  br label %53

53:
  %54 = phi ptr [ %52, %35 ], [ null, %8 ]
  store ptr %54, ptr %22, align 64
  %55 = icmp eq ptr %54, null
  br i1 %55, label %61, label %56

56:
  %57 = getelementptr inbounds %struct.ls_handle_lane, ptr %54, i64 0, i32 3
  %58 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %57) #9
  %59 = inttoptr i64 %58 to ptr
  %60 = getelementptr inbounds %struct.ls_lane, ptr %59, i64 0, i32 19
  br label %61

61:
  %62 = phi ptr [ %60, %56 ], [ null, %53 ]
  store ptr %62, ptr %23, align 8
  br label %63

63:
  %64 = phi i32 [ %18, %61 ], [ 0, %3 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %64
}

define dso_local i32 @lanescope_per_partition(i64 noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = shl i32 %2, 5
  %6 = urem i32 %4, %5
  %7 = icmp eq i32 %6, 0
  %8 = icmp ne i64 %0, 0
  %9 = and i1 %8, %7
  br i1 %9, label %10, label %65

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
  store ptr null, ptr %24, align 64
  %25 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 1
  store ptr null, ptr %25, align 8
  %26 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 2
  store ptr null, ptr %26, align 16
  %27 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 3
  store i32 -1, ptr %27, align 8
  %28 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 4
  store i32 0, ptr %28, align 4
  %29 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 5
  store i32 0, ptr %29, align 32
  %30 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 6
  store i32 1, ptr %30, align 4
  %31 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 7
  store i32 -1, ptr %31, align 8
  %32 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 8
  store i32 0, ptr %32, align 4
  %33 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 9
  store i64 0, ptr %33, align 16
  %34 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 10
  store i8 0, ptr %34, align 8
  %35 = and i64 %0, 281474976710655
  %36 = icmp eq i64 %35, 0
  br i1 %36, label %55, label %37

37:
  %38 = inttoptr i64 %35 to ptr
  %39 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %40 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %41 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %42 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %43 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %44 = mul i32 %42, %43
  %45 = add i32 %44, %41
  %46 = mul i32 %45, %40
  %47 = add i32 %46, %39
  %48 = getelementptr inbounds %struct.ls_handle, ptr %38, i64 0, i32 7
  %49 = load i32, ptr %48, align 4
  %50 = icmp ne i32 %49, 0
  %51 = zext i1 %50 to i8
  store i8 %51, ptr %34, align 8
  %52 = lshr i64 %0, 48
  %53 = trunc i64 %52 to i32
  %54 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEP9ls_handlejjj(ptr noundef nonnull %38, i32 noundef %47, i32 noundef %1, i32 noundef %53) #8
  br label %55

55:
  %56 = phi ptr [ %54, %37 ], [ null, %10 ]
  store ptr %56, ptr %24, align 64
  %57 = icmp eq ptr %56, null
  br i1 %57, label %63, label %58

58:
  %59 = getelementptr inbounds %struct.ls_handle_lane, ptr %56, i64 0, i32 3
  %60 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %59) #9
  %61 = inttoptr i64 %60 to ptr
  %62 = getelementptr inbounds %struct.ls_lane, ptr %61, i64 0, i32 19
  br label %63

63:
  %64 = phi ptr [ %62, %58 ], [ null, %55 ]
  store ptr %64, ptr %25, align 8
  br label %65

65:
  %66 = phi i32 [ %20, %63 ], [ 0, %3 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %66
}

define dso_local i32 @lanescope_per_warp(i64 noundef %0) local_unnamed_addr #0 {
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = lshr i32 %2, 5
  %4 = and i32 %2, 31
  %5 = icmp eq i32 %4, 0
  %6 = icmp ne i64 %0, 0
  %7 = and i1 %5, %6
  br i1 %7, label %8, label %59

8:
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
  store ptr null, ptr %18, align 64
  %19 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 1
  store ptr null, ptr %19, align 8
  %20 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 2
  store ptr null, ptr %20, align 16
  %21 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 3
  store i32 -1, ptr %21, align 8
  %22 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 4
  store i32 0, ptr %22, align 4
  %23 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 5
  store i32 0, ptr %23, align 32
  %24 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 6
  store i32 1, ptr %24, align 4
  %25 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 7
  store i32 -1, ptr %25, align 8
  %26 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 8
  store i32 0, ptr %26, align 4
  %27 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 9
  store i64 0, ptr %27, align 16
  %28 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 10
  store i8 0, ptr %28, align 8
  %29 = and i64 %0, 281474976710655
  %30 = icmp eq i64 %29, 0
  br i1 %30, label %49, label %31

31:
  %32 = inttoptr i64 %29 to ptr
  %33 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %34 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %35 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %36 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %37 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %38 = mul i32 %36, %37
  %39 = add i32 %38, %35
  %40 = mul i32 %39, %34
  %41 = add i32 %40, %33
  %42 = getelementptr inbounds %struct.ls_handle, ptr %32, i64 0, i32 7
  %43 = load i32, ptr %42, align 4
  %44 = icmp ne i32 %43, 0
  %45 = zext i1 %44 to i8
  store i8 %45, ptr %28, align 8
  %46 = lshr i64 %0, 48
  %47 = trunc i64 %46 to i32
  %48 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEP9ls_handlejjj(ptr noundef nonnull %32, i32 noundef %41, i32 noundef %3, i32 noundef %47) #8
  br label %49

49:
  %50 = phi ptr [ %48, %31 ], [ null, %8 ]
  store ptr %50, ptr %18, align 64
  %51 = icmp eq ptr %50, null
  br i1 %51, label %57, label %52

52:
  %53 = getelementptr inbounds %struct.ls_handle_lane, ptr %50, i64 0, i32 3
  %54 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %53) #9
  %55 = inttoptr i64 %54 to ptr
  %56 = getelementptr inbounds %struct.ls_lane, ptr %55, i64 0, i32 19
  br label %57

57:
  %58 = phi ptr [ %56, %52 ], [ null, %49 ]
  store ptr %58, ptr %19, align 8
  br label %59

59:
  %60 = phi i32 [ %15, %57 ], [ 0, %1 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %60
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
  br i1 %15, label %16, label %84

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
  %33 = getelementptr inbounds i64, ptr %20, i64 7
  %34 = load i64, ptr %33, align 8
  %35 = icmp ult i64 %29, 4294967296
  %36 = inttoptr i64 %23 to ptr
  br i1 %35, label %61, label %37, !prof !4

37:
  %38 = icmp ult ptr %36, inttoptr (i64 4294967296 to ptr)
  br i1 %38, label %39, label %41

39:
  %40 = trunc i64 %27 to i32
  br label %48

41:
  %42 = inttoptr i64 %21 to ptr
  %43 = inttoptr i64 %25 to ptr
  %44 = trunc i64 %27 to i32
  %45 = trunc i64 %29 to i32
  %46 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %42, ptr noundef %43, i32 noundef %44, i32 noundef %45) #8
  %47 = ptrtoint ptr %46 to i64
  br label %48

48:
  %49 = phi i32 [ %40, %39 ], [ %44, %41 ]
  %50 = phi i64 [ %25, %39 ], [ %47, %41 ]
  %51 = icmp sgt i32 %49, -1
  %52 = sext i1 %51 to i32
  %53 = add i32 %49, %52
  %54 = icmp slt i32 %53, 0
  %55 = select i1 %54, i32 1023, i32 %53
  %56 = zext i32 %55 to i64
  %57 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %58 = shl i64 %57, 32
  %59 = add i64 %58, 2251799813685248
  %60 = or disjoint i64 %59, %56
  br label %61

61:
  %62 = phi i64 [ 0, %48 ], [ %29, %16 ]
  %63 = phi i64 [ %60, %48 ], [ %27, %16 ]
  %64 = phi i64 [ %50, %48 ], [ %25, %16 ]
  %65 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %66 = and i32 %2, 32767
  %67 = zext nneg i32 %66 to i64
  %68 = shl nuw nsw i64 %67, 32
  %69 = and i64 %31, 4294967295
  %70 = or disjoint i64 %69, %68
  %71 = icmp ult ptr %36, inttoptr (i64 4294967296 to ptr)
  br i1 %71, label %76, label %72

72:
  %73 = tail call i32 asm sideeffect "mov.b32 $0, $1;", "=r,r"(i32 %1) #9
  %74 = zext i32 %73 to i64
  %75 = or disjoint i64 %68, %74
  br label %76

76:
  %77 = phi i64 [ %70, %61 ], [ %75, %72 ]
  br i1 %71, label %83, label %78

78:
  %79 = lshr i64 %65, 32
  %80 = trunc i64 %79 to i32
  %81 = trunc i64 %65 to i32
  %82 = trunc i64 %77 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr %36, i32 %81, i32 %80, i32 %82, i32 %66) #9
  br label %83

83:
  store i64 %21, ptr %20, align 64
  store i64 %23, ptr %22, align 8
  store i64 %64, ptr %24, align 16
  store i64 %63, ptr %26, align 8
  store i64 %62, ptr %28, align 32
  store i64 %77, ptr %30, align 8
  store i64 %65, ptr %32, align 16
  store i64 %34, ptr %33, align 8
  br label %84

84:
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
  br i1 %13, label %14, label %100

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
  %32 = getelementptr inbounds i64, ptr %18, i64 7
  %33 = load i64, ptr %32, align 8
  %34 = lshr i64 %29, 32
  %35 = trunc i64 %34 to i32
  %36 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %37 = icmp ult i64 %27, 4294967296
  %38 = inttoptr i64 %21 to ptr
  br i1 %37, label %63, label %39, !prof !4

39:
  %40 = icmp ult ptr %38, inttoptr (i64 4294967296 to ptr)
  br i1 %40, label %41, label %43

41:
  %42 = trunc i64 %25 to i32
  br label %50

43:
  %44 = inttoptr i64 %19 to ptr
  %45 = inttoptr i64 %23 to ptr
  %46 = trunc i64 %25 to i32
  %47 = trunc i64 %27 to i32
  %48 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %44, ptr noundef %45, i32 noundef %46, i32 noundef %47) #8
  %49 = ptrtoint ptr %48 to i64
  br label %50

50:
  %51 = phi i32 [ %42, %41 ], [ %46, %43 ]
  %52 = phi i64 [ %23, %41 ], [ %49, %43 ]
  %53 = icmp sgt i32 %51, -1
  %54 = sext i1 %53 to i32
  %55 = add i32 %51, %54
  %56 = icmp slt i32 %55, 0
  %57 = select i1 %56, i32 1023, i32 %55
  %58 = zext i32 %57 to i64
  %59 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %60 = shl i64 %59, 32
  %61 = add i64 %60, 2251799813685248
  %62 = or disjoint i64 %61, %58
  br label %63

63:
  %64 = phi i64 [ %52, %50 ], [ %23, %14 ]
  %65 = phi i64 [ %62, %50 ], [ %25, %14 ]
  %66 = trunc i64 %36 to i32
  %67 = inttoptr i64 %64 to ptr
  %68 = getelementptr inbounds i8, ptr %67, i64 16
  %69 = ptrtoint ptr %68 to i64
  %70 = icmp ult ptr %38, inttoptr (i64 4294967296 to ptr)
  br i1 %70, label %79, label %71

71:
  %72 = trunc i64 %31 to i32
  %73 = sub i32 %66, %72
  %74 = lshr i64 %36, 16
  %75 = trunc i64 %74 to i32
  %76 = and i32 %75, 2147418112
  %77 = or i32 %76, %35
  %78 = trunc i64 %29 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %68, i32 %66, i32 %73, i32 %78, i32 %77) #9
  br label %79

79:
  %80 = trunc i64 %65 to i32
  %81 = add i32 %80, -1
  %82 = zext i32 %81 to i64
  %83 = and i64 %65, -4294967296
  %84 = or disjoint i64 %83, %82
  %85 = lshr i64 %36, 32
  %86 = trunc i64 %85 to i32
  %87 = lshr i64 %31, 32
  %88 = trunc i64 %87 to i32
  %89 = sub i32 %86, %88
  %90 = zext i32 %89 to i64
  %91 = lshr i64 %65, 32
  %92 = trunc i64 %91 to i32
  %93 = sub i32 %92, %66
  %94 = or i32 %93, %81
  %95 = and i32 %94, -2147483648
  %96 = or i32 %95, %89
  %97 = zext i32 %96 to i64
  %98 = shl nuw i64 %97, 32
  %99 = or disjoint i64 %98, %90
  store i64 %19, ptr %18, align 64
  store i64 %21, ptr %20, align 8
  store i64 %69, ptr %22, align 16
  store i64 %84, ptr %24, align 8
  store i64 %99, ptr %26, align 32
  store i64 %29, ptr %28, align 8
  store i64 %31, ptr %30, align 16
  store i64 %33, ptr %32, align 8
  br label %100

100:
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
  br i1 %14, label %15, label %84

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
  %33 = getelementptr inbounds i64, ptr %19, i64 7
  %34 = load i64, ptr %33, align 8
  %35 = and i64 %34, 255
  %36 = icmp eq i64 %35, 0
  %37 = icmp ult i64 %28, 4294967296
  %38 = select i1 %36, i1 true, i1 %37
  br i1 %38, label %64, label %39, !prof !9

39:
  %40 = inttoptr i64 %22 to ptr
  %41 = icmp ult ptr %40, inttoptr (i64 4294967296 to ptr)
  br i1 %41, label %42, label %44

42:
  %43 = trunc i64 %26 to i32
  br label %51

44:
  %45 = inttoptr i64 %20 to ptr
  %46 = inttoptr i64 %24 to ptr
  %47 = trunc i64 %26 to i32
  %48 = trunc i64 %28 to i32
  %49 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %45, ptr noundef %46, i32 noundef %47, i32 noundef %48) #8
  %50 = ptrtoint ptr %49 to i64
  br label %51

51:
  %52 = phi i32 [ %43, %42 ], [ %47, %44 ]
  %53 = phi i64 [ %24, %42 ], [ %50, %44 ]
  %54 = icmp sgt i32 %52, -1
  %55 = sext i1 %54 to i32
  %56 = add i32 %52, %55
  %57 = icmp slt i32 %56, 0
  %58 = select i1 %57, i32 1023, i32 %56
  %59 = zext i32 %58 to i64
  %60 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %61 = shl i64 %60, 32
  %62 = add i64 %61, 2251799813685248
  %63 = or disjoint i64 %62, %59
  br label %64

64:
  %65 = phi i64 [ %24, %15 ], [ %53, %51 ]
  %66 = phi i64 [ %26, %15 ], [ %63, %51 ]
  %67 = phi i64 [ %28, %15 ], [ 0, %51 ]
  %68 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %69 = and i32 %1, 32767
  %70 = or disjoint i32 %69, 32768
  br i1 %36, label %80, label %71

71:
  %72 = inttoptr i64 %22 to ptr
  %73 = icmp ult ptr %72, inttoptr (i64 4294967296 to ptr)
  br i1 %73, label %80, label %74

74:
  %75 = getelementptr inbounds %struct.ls_slice_now, ptr %72, i64 0, i32 3
  %76 = trunc i64 %68 to i32
  %77 = lshr i64 %68, 32
  %78 = trunc i64 %77 to i32
  %79 = trunc i64 %30 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %75, i32 %76, i32 %78, i32 %79, i32 %70) #9
  br label %80

80:
  %81 = zext nneg i32 %69 to i64
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %65, ptr %23, align 16
  store i64 %66, ptr %25, align 8
  store i64 %67, ptr %27, align 32
  store i64 %30, ptr %29, align 8
  store i64 %32, ptr %31, align 16
  store i64 %34, ptr %33, align 8
  %82 = shl i64 %68, 16
  %83 = or disjoint i64 %82, %81
  br label %84

84:
  %85 = phi i64 [ %83, %80 ], [ 0, %2 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i64 %85
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
  br i1 %14, label %15, label %114

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
  %33 = getelementptr inbounds i64, ptr %19, i64 7
  %34 = load i64, ptr %33, align 8
  %35 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %36 = lshr i64 %1, 16
  %37 = sub i64 %35, %36
  %38 = and i64 %37, 281474976710655
  %39 = sub i64 %35, %38
  %40 = trunc i64 %1 to i32
  %41 = and i32 %40, 32767
  %42 = and i64 %34, 255
  %43 = icmp eq i64 %42, 0
  br i1 %43, label %110, label %44

44:
  %45 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %46 = icmp ult i64 %28, 4294967296
  %47 = inttoptr i64 %22 to ptr
  br i1 %46, label %72, label %48, !prof !4

48:
  %49 = icmp ult ptr %47, inttoptr (i64 4294967296 to ptr)
  br i1 %49, label %50, label %52

50:
  %51 = trunc i64 %26 to i32
  br label %59

52:
  %53 = inttoptr i64 %20 to ptr
  %54 = inttoptr i64 %24 to ptr
  %55 = trunc i64 %26 to i32
  %56 = trunc i64 %28 to i32
  %57 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %53, ptr noundef %54, i32 noundef %55, i32 noundef %56) #8
  %58 = ptrtoint ptr %57 to i64
  br label %59

59:
  %60 = phi i32 [ %51, %50 ], [ %55, %52 ]
  %61 = phi i64 [ %24, %50 ], [ %58, %52 ]
  %62 = icmp sgt i32 %60, -1
  %63 = sext i1 %62 to i32
  %64 = add i32 %60, %63
  %65 = icmp slt i32 %64, 0
  %66 = select i1 %65, i32 1023, i32 %64
  %67 = zext i32 %66 to i64
  %68 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %69 = shl i64 %68, 32
  %70 = add i64 %69, 2251799813685248
  %71 = or disjoint i64 %70, %67
  br label %72

72:
  %73 = phi i64 [ %61, %59 ], [ %24, %44 ]
  %74 = phi i64 [ %71, %59 ], [ %26, %44 ]
  %75 = trunc i64 %45 to i32
  %76 = inttoptr i64 %73 to ptr
  %77 = getelementptr inbounds i8, ptr %76, i64 16
  %78 = ptrtoint ptr %77 to i64
  %79 = icmp ult ptr %47, inttoptr (i64 4294967296 to ptr)
  br i1 %79, label %89, label %80

80:
  %81 = trunc i64 %39 to i32
  %82 = sub i32 %75, %81
  %83 = lshr i64 %45, 16
  %84 = trunc i64 %83 to i32
  %85 = and i32 %84, 2147418112
  %86 = or disjoint i32 %41, %85
  %87 = or disjoint i32 %86, 32768
  %88 = trunc i64 %30 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %77, i32 %75, i32 %82, i32 %88, i32 %87) #9
  br label %89

89:
  %90 = trunc i64 %74 to i32
  %91 = add i32 %90, -1
  %92 = zext i32 %91 to i64
  %93 = and i64 %74, -4294967296
  %94 = or disjoint i64 %93, %92
  %95 = lshr i64 %45, 32
  %96 = trunc i64 %95 to i32
  %97 = lshr i64 %39, 32
  %98 = trunc i64 %97 to i32
  %99 = sub i32 %96, %98
  %100 = zext i32 %99 to i64
  %101 = lshr i64 %74, 32
  %102 = trunc i64 %101 to i32
  %103 = sub i32 %102, %75
  %104 = or i32 %103, %91
  %105 = and i32 %104, -2147483648
  %106 = or i32 %105, %99
  %107 = zext i32 %106 to i64
  %108 = shl nuw i64 %107, 32
  %109 = or disjoint i64 %108, %100
  br label %110

110:
  %111 = phi i64 [ %24, %15 ], [ %78, %89 ]
  %112 = phi i64 [ %26, %15 ], [ %94, %89 ]
  %113 = phi i64 [ %28, %15 ], [ %109, %89 ]
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %111, ptr %23, align 16
  store i64 %112, ptr %25, align 8
  store i64 %113, ptr %27, align 32
  store i64 %30, ptr %29, align 8
  store i64 %32, ptr %31, align 16
  store i64 %34, ptr %33, align 8
  br label %114

114:
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
  br i1 %14, label %15, label %94

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
  %33 = getelementptr inbounds i64, ptr %19, i64 7
  %34 = load i64, ptr %33, align 8
  %35 = and i64 %34, 255
  %36 = icmp eq i64 %35, 0
  br i1 %36, label %90, label %37

37:
  %38 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %39 = icmp ult i64 %28, 4294967296
  %40 = inttoptr i64 %22 to ptr
  br i1 %39, label %65, label %41, !prof !4

41:
  %42 = icmp ult ptr %40, inttoptr (i64 4294967296 to ptr)
  br i1 %42, label %43, label %45

43:
  %44 = trunc i64 %26 to i32
  br label %52

45:
  %46 = inttoptr i64 %20 to ptr
  %47 = inttoptr i64 %24 to ptr
  %48 = trunc i64 %26 to i32
  %49 = trunc i64 %28 to i32
  %50 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %46, ptr noundef %47, i32 noundef %48, i32 noundef %49) #8
  %51 = ptrtoint ptr %50 to i64
  br label %52

52:
  %53 = phi i32 [ %44, %43 ], [ %48, %45 ]
  %54 = phi i64 [ %24, %43 ], [ %51, %45 ]
  %55 = icmp sgt i32 %53, -1
  %56 = sext i1 %55 to i32
  %57 = add i32 %53, %56
  %58 = icmp slt i32 %57, 0
  %59 = select i1 %58, i32 1023, i32 %57
  %60 = zext i32 %59 to i64
  %61 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %62 = shl i64 %61, 32
  %63 = add i64 %62, 2251799813685248
  %64 = or disjoint i64 %63, %60
  br label %65

65:
  %66 = phi i64 [ %54, %52 ], [ %24, %37 ]
  %67 = phi i64 [ %64, %52 ], [ %26, %37 ]
  %68 = phi i64 [ 0, %52 ], [ %28, %37 ]
  %69 = inttoptr i64 %66 to ptr
  %70 = getelementptr inbounds i8, ptr %69, i64 16
  %71 = ptrtoint ptr %70 to i64
  %72 = icmp ult ptr %40, inttoptr (i64 4294967296 to ptr)
  br i1 %72, label %80, label %73

73:
  %74 = trunc i64 %38 to i32
  %75 = lshr i64 %38, 16
  %76 = trunc i64 %75 to i32
  %77 = and i32 %76, 2147418112
  %78 = or disjoint i32 %77, 65534
  %79 = trunc i64 %30 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %70, i32 %74, i32 %1, i32 %79, i32 %78) #9
  br label %80

80:
  %81 = trunc i64 %67 to i32
  %82 = add i32 %81, -1
  %83 = zext i32 %82 to i64
  %84 = and i64 %67, -4294967296
  %85 = or disjoint i64 %84, %83
  %86 = and i32 %82, -2147483648
  %87 = zext i32 %86 to i64
  %88 = shl nuw i64 %87, 32
  %89 = or disjoint i64 %68, %88
  br label %90

90:
  %91 = phi i64 [ %24, %15 ], [ %71, %80 ]
  %92 = phi i64 [ %26, %15 ], [ %85, %80 ]
  %93 = phi i64 [ %28, %15 ], [ %89, %80 ]
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %91, ptr %23, align 16
  store i64 %92, ptr %25, align 8
  store i64 %93, ptr %27, align 32
  store i64 %30, ptr %29, align 8
  store i64 %32, ptr %31, align 16
  store i64 %34, ptr %33, align 8
  br label %94

94:
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
  br i1 %14, label %15, label %94

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
  %33 = getelementptr inbounds i64, ptr %19, i64 7
  %34 = load i64, ptr %33, align 8
  %35 = and i64 %34, 255
  %36 = icmp eq i64 %35, 0
  br i1 %36, label %90, label %37

37:
  %38 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %39 = icmp ult i64 %28, 4294967296
  %40 = inttoptr i64 %22 to ptr
  br i1 %39, label %65, label %41, !prof !4

41:
  %42 = icmp ult ptr %40, inttoptr (i64 4294967296 to ptr)
  br i1 %42, label %43, label %45

43:
  %44 = trunc i64 %26 to i32
  br label %52

45:
  %46 = inttoptr i64 %20 to ptr
  %47 = inttoptr i64 %24 to ptr
  %48 = trunc i64 %26 to i32
  %49 = trunc i64 %28 to i32
  %50 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %46, ptr noundef %47, i32 noundef %48, i32 noundef %49) #8
  %51 = ptrtoint ptr %50 to i64
  br label %52

52:
  %53 = phi i32 [ %44, %43 ], [ %48, %45 ]
  %54 = phi i64 [ %24, %43 ], [ %51, %45 ]
  %55 = icmp sgt i32 %53, -1
  %56 = sext i1 %55 to i32
  %57 = add i32 %53, %56
  %58 = icmp slt i32 %57, 0
  %59 = select i1 %58, i32 1023, i32 %57
  %60 = zext i32 %59 to i64
  %61 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %62 = shl i64 %61, 32
  %63 = add i64 %62, 2251799813685248
  %64 = or disjoint i64 %63, %60
  br label %65

65:
  %66 = phi i64 [ %54, %52 ], [ %24, %37 ]
  %67 = phi i64 [ %64, %52 ], [ %26, %37 ]
  %68 = phi i64 [ 0, %52 ], [ %28, %37 ]
  %69 = inttoptr i64 %66 to ptr
  %70 = getelementptr inbounds i8, ptr %69, i64 16
  %71 = ptrtoint ptr %70 to i64
  %72 = icmp ult ptr %40, inttoptr (i64 4294967296 to ptr)
  br i1 %72, label %80, label %73

73:
  %74 = trunc i64 %38 to i32
  %75 = lshr i64 %38, 16
  %76 = trunc i64 %75 to i32
  %77 = and i32 %76, 2147418112
  %78 = or disjoint i32 %77, 65535
  %79 = trunc i64 %30 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %70, i32 %74, i32 %1, i32 %79, i32 %78) #9
  br label %80

80:
  %81 = trunc i64 %67 to i32
  %82 = add i32 %81, -1
  %83 = zext i32 %82 to i64
  %84 = and i64 %67, -4294967296
  %85 = or disjoint i64 %84, %83
  %86 = and i32 %82, -2147483648
  %87 = zext i32 %86 to i64
  %88 = shl nuw i64 %87, 32
  %89 = or disjoint i64 %68, %88
  br label %90

90:
  %91 = phi i64 [ %24, %15 ], [ %71, %80 ]
  %92 = phi i64 [ %26, %15 ], [ %85, %80 ]
  %93 = phi i64 [ %28, %15 ], [ %89, %80 ]
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %91, ptr %23, align 16
  store i64 %92, ptr %25, align 8
  store i64 %93, ptr %27, align 32
  store i64 %30, ptr %29, align 8
  store i64 %32, ptr %31, align 16
  store i64 %34, ptr %33, align 8
  br label %94

94:
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
  br i1 %13, label %14, label %42

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
  %32 = getelementptr inbounds i64, ptr %18, i64 7
  %33 = load i64, ptr %32, align 8
  %34 = inttoptr i64 %21 to ptr
  %35 = icmp ult ptr %34, inttoptr (i64 4294967296 to ptr)
  br i1 %35, label %41, label %36

36:
  %37 = inttoptr i64 %19 to ptr
  %38 = inttoptr i64 %23 to ptr
  %39 = trunc i64 %25 to i32
  %40 = trunc i64 %27 to i32
  tail call fastcc void @_ZN9lanescopeL14give_lane_backEP14ls_handle_lanePhjj(ptr noundef %37, ptr noundef %38, i32 noundef %39, i32 noundef %40) #8
  br label %41

41:
  store i64 %19, ptr %18, align 64
  store i64 0, ptr %20, align 8
  store i64 %23, ptr %22, align 16
  store i64 %25, ptr %24, align 8
  store i64 %27, ptr %26, align 32
  store i64 %29, ptr %28, align 8
  store i64 %31, ptr %30, align 16
  store i64 %33, ptr %32, align 8
  br label %42

42:
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 0
}

declare void @llvm.assume(i1 noundef) #2

declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.z() #1

declare noundef i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

declare noundef i32 @llvm.nvvm.read.ptx.sreg.nctaid.y() #1

define internal fastcc noundef ptr @_ZN9lanescopeL9take_laneEP9ls_handlejjj(ptr noundef %0, i32 noundef %1, i32 noundef %2, i32 noundef %3) unnamed_addr #3 {
  %5 = getelementptr inbounds %struct.ls_handle, ptr %0, i64 1
  %6 = zext i32 %1 to i64
  %7 = getelementptr inbounds %struct.ls_handle, ptr %0, i64 0, i32 3
  %8 = load i32, ptr %7, align 4
  %9 = zext i32 %8 to i64
  %10 = mul nuw i64 %9, %6
  %11 = getelementptr inbounds %struct.ls_handle_lane, ptr %5, i64 %10
  %12 = zext i32 %2 to i64
  %13 = getelementptr inbounds %struct.ls_handle_lane, ptr %11, i64 %12
  %14 = getelementptr inbounds %struct.ls_handle, ptr %0, i64 0, i32 2
  %15 = load i32, ptr %14, align 8
  %16 = icmp ugt i32 %15, %1
  %17 = icmp ugt i32 %8, %2
  %18 = select i1 %16, i1 %17, i1 false
  br i1 %18, label %19, label %27

19:
  %20 = getelementptr inbounds %struct.ls_handle, ptr %0, i64 0, i32 4
  %21 = load i32, ptr %20, align 8
  %22 = icmp eq i32 %21, 1024
  br i1 %22, label %23, label %27

23:
  %24 = getelementptr inbounds %struct.ls_handle_lane, ptr %11, i64 %12, i32 7
  %25 = tail call noundef i32 asm sideeffect "atom.exch.b32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr nonnull %24, i32 1) #9
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %30, label %27

27:
  %28 = getelementptr inbounds %struct.ls_handle, ptr %0, i64 0, i32 8
  %29 = tail call noundef i64 asm sideeffect "atom.add.u64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr nonnull %28, i64 1) #9
  br label %52

30:
  tail call void @llvm.nvvm.membar.gl()
  %31 = tail call i32 asm sideeffect "mov.u32 $0, %smid;", "=r"() #9
  %32 = getelementptr inbounds %struct.ls_handle_lane, ptr %11, i64 %12, i32 1
  %33 = getelementptr inbounds %struct.ls_handle_lane, ptr %11, i64 %12, i32 1, i32 6
  %34 = zext i32 %31 to i64
  %35 = zext nneg i32 %3 to i64
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %33, i64 %34, i64 %35) #9
  %36 = getelementptr inbounds %struct.ls_handle_lane, ptr %11, i64 %12, i32 3
  %37 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %36) #9
  %38 = inttoptr i64 %37 to ptr
  %39 = getelementptr inbounds %struct.ls_lane, ptr %38, i64 0, i32 19
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %39, i64 0, i64 0) #9
  %40 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %36) #9
  %41 = inttoptr i64 %40 to ptr
  %42 = getelementptr inbounds %struct.ls_lane, ptr %41, i64 0, i32 19, i64 2
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %42, i64 0, i64 0) #9
  %43 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %36) #9
  %44 = inttoptr i64 %43 to ptr
  %45 = getelementptr inbounds %struct.ls_lane, ptr %44, i64 0, i32 22
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %45, i64 %34, i64 0) #9
  %46 = tail call fastcc { i64, i64 } @_ZN9lanescopeL6momentEv() #8
  %47 = extractvalue { i64, i64 } %46, 0
  %48 = extractvalue { i64, i64 } %46, 1
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %32, i64 %47, i64 %48) #9
  %49 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %36) #9
  %50 = inttoptr i64 %49 to ptr
  %51 = getelementptr inbounds %struct.ls_lane, ptr %50, i64 0, i32 20
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %51, i64 %47, i64 %48) #9
  br label %52

52:
  %53 = phi ptr [ null, %27 ], [ %13, %30 ]
  ret ptr %53
}

define internal fastcc { i64, i64 } @_ZN9lanescopeL6momentEv() unnamed_addr #3 {
  br label %1

1:
  %2 = phi i32 [ 4, %0 ], [ %10, %1 ]
  %3 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %4 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #9
  %5 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %6 = trunc i64 %5 to i32
  %7 = trunc i64 %3 to i32
  %8 = sub i32 %6, %7
  %9 = icmp ult i32 %8, 17
  %10 = add nsw i32 %2, -1
  %11 = icmp eq i32 %10, 0
  %12 = select i1 %9, i1 true, i1 %11
  br i1 %12, label %13, label %1, !llvm.loop !15

13:
  %14 = lshr i32 %8, 1
  %15 = zext nneg i32 %14 to i64
  %16 = add i64 %3, %15
  %17 = insertvalue { i64, i64 } poison, i64 %16, 0
  %18 = insertvalue { i64, i64 } %17, i64 %4, 1
  ret { i64, i64 } %18
}

declare void @llvm.nvvm.membar.gl() #4

declare void @llvm.nvvm.bar.warp.sync(i32) #5

define internal fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjj(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3) unnamed_addr #3 {
  %5 = icmp eq i32 %3, 0
  br i1 %5, label %8, label %6

6:
  %7 = getelementptr inbounds %struct.ls_slice, ptr %1, i64 -1
  tail call fastcc void @_ZN9lanescopeL8lengthenEP8ls_slicej(ptr noundef nonnull %7, i32 noundef %3) #10
  br label %8

8:
  %9 = icmp sgt i32 %2, -1
  br i1 %9, label %10, label %13

10:
  %11 = icmp eq i32 %2, 0
  %12 = getelementptr inbounds i8, ptr %1, i64 16
  tail call fastcc void @_ZN9lanescopeL10put_momentEP14ls_handle_lanePh(ptr noundef %0, ptr noundef %1) #8
  br label %13

13:
  %14 = phi i1 [ %11, %10 ], [ true, %8 ]
  %15 = phi ptr [ %12, %10 ], [ %1, %8 ]
  br i1 %14, label %16, label %18

16:
  %17 = tail call fastcc noundef ptr @_ZN9lanescopeL11next_bufferEP14ls_handle_lane(ptr noundef %0) #8
  br label %18

18:
  %19 = phi ptr [ %17, %16 ], [ %15, %13 ]
  ret ptr %19
}

define internal fastcc void @_ZN9lanescopeL8lengthenEP8ls_slicej(ptr nocapture noundef %0, i32 noundef %1) unnamed_addr #6 {
  %3 = getelementptr inbounds %struct.ls_slice, ptr %0, i64 0, i32 1
  %4 = load i32, ptr %3, align 4
  %5 = load i32, ptr %0, align 4
  %6 = icmp ugt i32 %4, %5
  %7 = sext i1 %6 to i32
  %8 = add i32 %7, %1
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %15, label %10

10:
  %11 = getelementptr inbounds %struct.ls_slice, ptr %0, i64 0, i32 3
  %12 = tail call i32 @llvm.fshl.i32(i32 %8, i32 %4, i32 16)
  store i32 %12, ptr %3, align 4
  %13 = load i32, ptr %11, align 4
  %14 = or i32 %13, -2147483648
  store i32 %14, ptr %11, align 4
  br label %15

15:
  ret void
}

define internal fastcc void @_ZN9lanescopeL10put_momentEP14ls_handle_lanePh(ptr noundef %0, ptr noundef %1) unnamed_addr #3 {
  %3 = tail call fastcc { i64, i64 } @_ZN9lanescopeL6momentEv() #8
  %4 = extractvalue { i64, i64 } %3, 0
  %5 = extractvalue { i64, i64 } %3, 1
  %6 = trunc i64 %4 to i32
  %7 = trunc i64 %5 to i32
  %8 = lshr i64 %5, 32
  %9 = trunc i64 %8 to i32
  %10 = lshr i64 %4, 16
  %11 = trunc i64 %10 to i32
  %12 = and i32 %11, 2147418112
  %13 = or disjoint i32 %12, 65533
  tail call void asm sideeffect "st.global.v4.u32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr %1, i32 %6, i32 %7, i32 %9, i32 %13) #9
  %14 = getelementptr inbounds %struct.ls_buffer, ptr %0, i64 0, i32 7
  %15 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %14) #9
  %16 = add i64 %15, 1
  store i64 %16, ptr %14, align 8
  ret void
}

define internal fastcc noundef ptr @_ZN9lanescopeL11next_bufferEP14ls_handle_lane(ptr noundef %0) unnamed_addr #3 {
  tail call fastcc void @_ZN9lanescopeL6settleEP14ls_handle_lanej(ptr noundef %0, i32 noundef 1024) #8
  %2 = tail call fastcc noundef zeroext i1 @_ZN9lanescopeL15wait_for_bufferEP14ls_handle_lane(ptr noundef %0) #8
  br i1 %2, label %3, label %5

3:
  %4 = tail call fastcc noundef ptr @_ZN9lanescopeL11open_bufferEP14ls_handle_lane(ptr noundef %0) #8
  br label %13

5:
  %6 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 8
  store i32 2, ptr %6, align 4
  %7 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 2
  %8 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %7) #9
  %9 = inttoptr i64 %8 to ptr
  %10 = getelementptr inbounds %struct.ls_handle, ptr %9, i64 0, i32 9
  %11 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %10) #9
  %12 = inttoptr i64 %11 to ptr
  br label %13

13:
  %14 = phi ptr [ %4, %3 ], [ %12, %5 ]
  ret ptr %14
}

define internal fastcc void @_ZN9lanescopeL6settleEP14ls_handle_lanej(ptr noundef %0, i32 noundef %1) unnamed_addr #3 {
  %3 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 8
  %4 = tail call noundef i32 asm sideeffect "ld.global.u32 $0, [$1];", "=r,l,~{memory}"(ptr nonnull %3) #9
  switch i32 %4, label %19 [
    i32 1, label %5
    i32 2, label %6
  ]

5:
  tail call fastcc void @_ZN9lanescopeL7publishEP14ls_handle_lanej(ptr noundef %0, i32 noundef %1) #8
  br label %19

6:
  %7 = getelementptr inbounds %struct.ls_buffer, ptr %0, i64 0, i32 4
  %8 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %7) #9
  %9 = getelementptr inbounds %struct.ls_buffer, ptr %0, i64 0, i32 7
  %10 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %9) #9
  %11 = trunc i64 %10 to i32
  %12 = sub i32 %1, %11
  %13 = zext i32 %12 to i64
  %14 = add i64 %8, %13
  store i64 %14, ptr %7, align 8
  store i64 0, ptr %9, align 8
  %15 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 3
  %16 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %15) #9
  %17 = inttoptr i64 %16 to ptr
  %18 = getelementptr inbounds %struct.ls_lane, ptr %17, i64 0, i32 12
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %18, i64 %14) #9
  br label %19

19:
  ret void
}

define internal fastcc noundef zeroext i1 @_ZN9lanescopeL15wait_for_bufferEP14ls_handle_lane(ptr noundef %0) unnamed_addr #3 {
  %2 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 2
  %3 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %2) #9
  %4 = inttoptr i64 %3 to ptr
  %5 = getelementptr inbounds %struct.ls_handle, ptr %4, i64 0, i32 6
  %6 = tail call noundef i32 asm sideeffect "ld.global.u32 $0, [$1];", "=r,l,~{memory}"(ptr nonnull %5) #9
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %12

8:
  %9 = getelementptr inbounds %struct.ls_buffer, ptr %0, i64 0, i32 6
  %10 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %9) #9
  %11 = icmp eq i64 %10, 0
  br label %12

12:
  %13 = phi i1 [ false, %1 ], [ %11, %8 ]
  %14 = getelementptr inbounds %struct.ls_buffer, ptr %0, i64 0, i32 5
  %15 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %14) #9
  %16 = icmp eq i64 %15, 0
  %17 = tail call fastcc noundef zeroext i1 @_ZN9lanescopeL14buffer_is_freeEP14ls_handle_lane(ptr noundef %0) #8
  br i1 %17, label %54, label %18

18:
  br i1 %16, label %19, label %22

19:
  %20 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #9
  %21 = or i64 %20, 1
  tail call fastcc void @_ZN9lanescopeL9note_waitEP14ls_handle_laneyy(ptr noundef %0, i64 noundef %21, i64 noundef 0) #8
  br label %22

22:
  %23 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %14) #9
  %24 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #9
  br i1 %13, label %25, label %46

25:
  %26 = or i64 %24, 1
  %27 = sub i64 %26, %23
  %28 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %2) #9
  %29 = inttoptr i64 %28 to ptr
  %30 = getelementptr inbounds %struct.ls_handle, ptr %29, i64 0, i32 1
  %31 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %30) #9
  %32 = icmp ult i64 %27, %31
  br i1 %32, label %33, label %46

33:
  tail call void asm sideeffect "nanosleep.u32 $0;", "r"(i32 200) #9
  br label %34

34:
  %35 = tail call fastcc noundef zeroext i1 @_ZN9lanescopeL14buffer_is_freeEP14ls_handle_lane(ptr noundef %0) #8
  br i1 %35, label %55, label %36

36:
  %37 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %14) #9
  %38 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #9
  %39 = or i64 %38, 1
  %40 = sub i64 %39, %37
  %41 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %2) #9
  %42 = inttoptr i64 %41 to ptr
  %43 = getelementptr inbounds %struct.ls_handle, ptr %42, i64 0, i32 1
  %44 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %43) #9
  %45 = icmp ult i64 %40, %44
  br i1 %45, label %53, label %46

46:
  %47 = phi i64 [ %23, %22 ], [ %26, %25 ], [ %39, %36 ]
  %48 = phi i64 [ %23, %22 ], [ %23, %25 ], [ %37, %36 ]
  %49 = getelementptr inbounds %struct.ls_buffer, ptr %0, i64 0, i32 6
  %50 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %49) #9
  %51 = icmp eq i64 %50, 0
  br i1 %51, label %52, label %62, !llvm.loop !21

52:
  tail call fastcc void @_ZN9lanescopeL9note_waitEP14ls_handle_laneyy(ptr noundef %0, i64 noundef %48, i64 noundef %47) #8
  br label %62, !llvm.loop !21

53:
  tail call void asm sideeffect "nanosleep.u32 $0;", "r"(i32 200) #9
  br label %34, !llvm.loop !22

54:
  br i1 %16, label %62, label %55

55:
  %56 = getelementptr inbounds %struct.ls_buffer, ptr %0, i64 0, i32 6
  %57 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %56) #9
  %58 = icmp eq i64 %57, 0
  br i1 %58, label %59, label %62

59:
  %60 = tail call noundef i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"() #9
  %61 = or i64 %60, 1
  store i64 %61, ptr %56, align 8
  br label %62

62:
  %63 = phi i1 [ true, %54 ], [ true, %55 ], [ true, %59 ], [ false, %52 ], [ false, %46 ]
  ret i1 %63
}

define internal fastcc noundef ptr @_ZN9lanescopeL11open_bufferEP14ls_handle_lane(ptr noundef %0) unnamed_addr #3 {
  %2 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 9
  %3 = tail call noundef i32 asm sideeffect "ld.global.u32 $0, [$1];", "=r,l,~{memory}"(ptr nonnull %2) #9
  %4 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 4
  %5 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %4) #9
  %6 = zext i32 %3 to i64
  %7 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 2
  %8 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %7) #9
  %9 = inttoptr i64 %8 to ptr
  %10 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %9) #9
  %11 = mul i64 %10, %6
  %12 = add i64 %11, %5
  %13 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 5
  store i64 %12, ptr %13, align 8
  %14 = add i32 %3, 1
  %15 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %7) #9
  %16 = inttoptr i64 %15 to ptr
  %17 = getelementptr inbounds %struct.ls_handle, ptr %16, i64 0, i32 5
  %18 = tail call noundef i32 asm sideeffect "ld.global.u32 $0, [$1];", "=r,l,~{memory}"(ptr nonnull %17) #9
  %19 = icmp eq i32 %14, %18
  %20 = select i1 %19, i32 0, i32 %14
  store i32 %20, ptr %2, align 8
  %21 = tail call fastcc { i64, i64 } @_ZN9lanescopeL6momentEv() #8
  %22 = extractvalue { i64, i64 } %21, 0
  %23 = extractvalue { i64, i64 } %21, 1
  %24 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 1, i32 2
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %24, i64 %22, i64 %23) #9
  br label %35

25:
  %26 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %0) #9
  %27 = add i64 %26, 1
  store i64 %27, ptr %0, align 8
  %28 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 3
  %29 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %28) #9
  %30 = inttoptr i64 %29 to ptr
  %31 = getelementptr inbounds %struct.ls_lane, ptr %30, i64 0, i32 13
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %31, i64 %27) #9
  %32 = getelementptr inbounds %struct.ls_buffer, ptr %0, i64 0, i32 5
  %33 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %32) #9
  %34 = icmp eq i64 %33, 0
  br i1 %34, label %48, label %47

35:
  %36 = phi i32 [ 0, %1 ], [ %45, %35 ]
  %37 = zext nneg i32 %36 to i64
  %38 = getelementptr inbounds i64, ptr %0, i64 %37
  %39 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %13) #9
  %40 = inttoptr i64 %39 to ptr
  %41 = getelementptr inbounds i64, ptr %40, i64 %37
  %42 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %38) #9
  %43 = getelementptr inbounds i64, ptr %38, i64 1
  %44 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %43) #9
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr %41, i64 %42, i64 %44) #9
  %45 = add nuw nsw i32 %36, 2
  %46 = icmp ult i32 %36, 14
  br i1 %46, label %35, label %25, !llvm.loop !24

47:
  tail call fastcc void @_ZN9lanescopeL9note_waitEP14ls_handle_laneyy(ptr noundef nonnull %0, i64 noundef 0, i64 noundef 0) #8
  br label %48

48:
  %49 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 8
  store i32 1, ptr %49, align 4
  %50 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %13) #9
  %51 = inttoptr i64 %50 to ptr
  %52 = getelementptr inbounds i8, ptr %51, i64 128
  ret ptr %52
}

define internal fastcc void @_ZN9lanescopeL7publishEP14ls_handle_lanej(ptr noundef %0, i32 noundef %1) unnamed_addr #3 {
  %3 = tail call fastcc { i64, i64 } @_ZN9lanescopeL6momentEv() #8
  %4 = extractvalue { i64, i64 } %3, 0
  %5 = extractvalue { i64, i64 } %3, 1
  %6 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 5
  %7 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %6) #9
  %8 = inttoptr i64 %7 to ptr
  %9 = getelementptr inbounds %struct.ls_buffer, ptr %8, i64 1, i32 5
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %9, i64 %4, i64 %5) #9
  %10 = add i32 %1, 4
  %11 = getelementptr inbounds %struct.ls_buffer, ptr %8, i64 0, i32 2
  store i32 %10, ptr %11, align 4
  %12 = getelementptr inbounds %struct.ls_buffer, ptr %0, i64 0, i32 7
  %13 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %12) #9
  %14 = getelementptr inbounds %struct.ls_buffer, ptr %8, i64 0, i32 7
  store i64 %13, ptr %14, align 8
  %15 = getelementptr inbounds %struct.ls_buffer, ptr %0, i64 0, i32 3
  %16 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %15) #9
  %17 = trunc i64 %13 to i32
  %18 = sub i32 %1, %17
  %19 = zext i32 %18 to i64
  %20 = add i64 %16, %19
  store i64 %20, ptr %15, align 8
  store i64 0, ptr %12, align 8
  %21 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 3
  %22 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %21) #9
  %23 = inttoptr i64 %22 to ptr
  %24 = getelementptr inbounds %struct.ls_lane, ptr %23, i64 0, i32 11
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %24, i64 %20) #9
  %25 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %21) #9
  %26 = inttoptr i64 %25 to ptr
  %27 = getelementptr inbounds %struct.ls_lane, ptr %26, i64 0, i32 14
  %28 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %0) #9
  tail call void asm sideeffect "st.release.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %27, i64 %28) #9
  %29 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 8
  store i32 0, ptr %29, align 4
  ret void
}

define internal fastcc noundef zeroext i1 @_ZN9lanescopeL14buffer_is_freeEP14ls_handle_lane(ptr noundef %0) unnamed_addr #3 {
  %2 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 2
  %3 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %2) #9
  %4 = inttoptr i64 %3 to ptr
  %5 = getelementptr inbounds %struct.ls_handle, ptr %4, i64 0, i32 5
  %6 = tail call noundef i32 asm sideeffect "ld.global.u32 $0, [$1];", "=r,l,~{memory}"(ptr nonnull %5) #9
  %7 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %0) #9
  %8 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 6
  %9 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %8) #9
  %10 = sub i64 %7, %9
  %11 = zext i32 %6 to i64
  %12 = icmp ult i64 %10, %11
  br i1 %12, label %22, label %13

13:
  %14 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 3
  %15 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %14) #9
  %16 = inttoptr i64 %15 to ptr
  %17 = getelementptr inbounds %struct.ls_lane, ptr %16, i64 0, i32 24
  %18 = tail call noundef i64 asm sideeffect "ld.acquire.sys.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %17) #9
  store i64 %18, ptr %8, align 8
  %19 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %0) #9
  %20 = sub i64 %19, %18
  %21 = icmp ult i64 %20, %11
  br label %22

22:
  %23 = phi i1 [ %21, %13 ], [ true, %1 ]
  ret i1 %23
}

define internal fastcc void @_ZN9lanescopeL9note_waitEP14ls_handle_laneyy(ptr noundef %0, i64 noundef %1, i64 noundef %2) unnamed_addr #3 {
  %4 = getelementptr inbounds %struct.ls_buffer, ptr %0, i64 0, i32 5
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %4, i64 %1, i64 %2) #9
  %5 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 3
  %6 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %5) #9
  %7 = inttoptr i64 %6 to ptr
  %8 = getelementptr inbounds %struct.ls_lane, ptr %7, i64 0, i32 15
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %8, i64 %1) #9
  %9 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %5) #9
  %10 = inttoptr i64 %9 to ptr
  %11 = getelementptr inbounds %struct.ls_lane, ptr %10, i64 0, i32 16
  tail call void asm sideeffect "st.relaxed.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr nonnull %11, i64 %2) #9
  ret void
}

define internal fastcc void @_ZN9lanescopeL14give_lane_backEP14ls_handle_lanePhjj(ptr noundef %0, ptr nocapture noundef %1, i32 noundef %2, i32 noundef %3) unnamed_addr #3 {
  %5 = icmp eq i32 %3, 0
  br i1 %5, label %8, label %6

6:
  %7 = getelementptr inbounds %struct.ls_slice, ptr %1, i64 -1
  tail call fastcc void @_ZN9lanescopeL8lengthenEP8ls_slicej(ptr noundef nonnull %7, i32 noundef %3) #10
  br label %8

8:
  %9 = sub i32 1023, %2
  tail call fastcc void @_ZN9lanescopeL6settleEP14ls_handle_lanej(ptr noundef %0, i32 noundef %9) #8
  %10 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 8
  store i32 0, ptr %10, align 4
  %11 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 3
  %12 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %11) #9
  %13 = inttoptr i64 %12 to ptr
  %14 = getelementptr inbounds %struct.ls_lane, ptr %13, i64 0, i32 20
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %14, i64 0, i64 0) #9
  tail call void @llvm.nvvm.membar.gl()
  %15 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 7
  %16 = tail call noundef i32 asm sideeffect "atom.exch.b32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr nonnull %15, i32 0) #9
  ret void
}

declare i32 @llvm.fshl.i32(i32, i32, i32) #7

attributes #0 = { alwaysinline convergent mustprogress nounwind }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #3 = { convergent mustprogress alwaysinline nounwind }
attributes #4 = { nocallback nounwind }
attributes #5 = { convergent nocallback nounwind }
attributes #6 = { mustprogress nofree alwaysinline norecurse nosync nounwind willreturn memory(argmem: readwrite) }
attributes #7 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #8 = { convergent nobuiltin }
attributes #9 = { convergent nounwind }
attributes #10 = { nobuiltin }


!4 = !{!"branch_weights", i32 2000, i32 1}
!9 = !{!"branch_weights", i32 4001, i32 1}
!15 = distinct !{!15, !16, !17}
!16 = !{!"llvm.loop.mustprogress"}
!17 = !{!"llvm.loop.unroll.count", i32 1}
!21 = distinct !{!21, !16, !17}
!22 = distinct !{!22, !23}
!23 = !{!"llvm.loop.peeled.count", i32 1}
!24 = distinct !{!24, !16, !17}
