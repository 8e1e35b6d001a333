; sources ca05a58c6fcad8c5f8d53cf90f2d2e17e61a9bdeb0bb7c22bb103f5dac83c993
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%"class.lanescope::LaneOf" = type <{ ptr, ptr, ptr, i64, i32, i32, i32, i32, i32, i32, i32, i8, i8, [2 x i8] }>
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
  br i1 %5, label %6, label %53

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
  store i64 0, ptr %13, align 8
  %14 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 4
  store i32 -1, ptr %14, align 32
  %15 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 5
  store i32 0, ptr %15, align 4
  %16 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 6
  store i32 -2, ptr %16, align 8
  %17 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 7
  store i32 0, ptr %17, align 4
  %18 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 8
  store i32 0, ptr %18, align 16
  %19 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 9
  store i32 1, ptr %19, align 4
  %20 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 10
  store i32 0, ptr %20, align 8
  %21 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 11
  store i8 0, ptr %21, align 4
  %22 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %10, i64 0, i32 12
  store i8 0, ptr %22, align 1
  %23 = and i64 %0, 281474976710655
  %24 = icmp eq i64 %23, 0
  br i1 %24, label %43, label %25

25:
  %26 = inttoptr i64 %23 to ptr
  %27 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %28 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %29 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %30 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %31 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %32 = mul i32 %30, %31
  %33 = add i32 %32, %29
  %34 = mul i32 %33, %28
  %35 = add i32 %34, %27
  %36 = getelementptr inbounds %struct.ls_handle, ptr %26, i64 0, i32 7
  %37 = load i32, ptr %36, align 4
  %38 = icmp ne i32 %37, 0
  %39 = zext i1 %38 to i8
  store i8 %39, ptr %22, align 1
  %40 = lshr i64 %0, 48
  %41 = trunc i64 %40 to i32
  %42 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEP9ls_handlejjj(ptr noundef nonnull %26, i32 noundef %35, i32 noundef 0, i32 noundef %41) #8
  br label %43

43:
  %44 = phi ptr [ %42, %25 ], [ null, %6 ]
  store ptr %44, ptr %10, align 64
  %45 = icmp eq ptr %44, null
  br i1 %45, label %51, label %46

46:
  %47 = getelementptr inbounds %struct.ls_handle_lane, ptr %44, i64 0, i32 3
  %48 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %47) #9
  %49 = inttoptr i64 %48 to ptr
  %50 = getelementptr inbounds %struct.ls_lane, ptr %49, i64 0, i32 19
  br label %51

51:
  %52 = phi ptr [ %50, %46 ], [ null, %43 ]
  store ptr %52, ptr %11, align 8
  br label %53

53:
  %54 = phi i32 [ %7, %51 ], [ 0, %1 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %54
}

declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

define dso_local i32 @lanescope_per_thread(i64 noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = icmp eq i32 %4, %2
  %6 = icmp ne i64 %0, 0
  %7 = and i1 %6, %5
  br i1 %7, label %8, label %65

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
  store i64 0, ptr %25, align 8
  %26 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 4
  store i32 -1, ptr %26, align 32
  %27 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 5
  store i32 0, ptr %27, align 4
  %28 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 6
  store i32 -2, ptr %28, align 8
  %29 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 7
  store i32 0, ptr %29, align 4
  %30 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 8
  store i32 0, ptr %30, align 16
  %31 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 9
  store i32 1, ptr %31, align 4
  %32 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 10
  store i32 0, ptr %32, align 8
  %33 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 11
  store i8 0, ptr %33, align 4
  %34 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %22, i64 0, i32 12
  store i8 0, ptr %34, align 1
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
  store i8 %51, ptr %34, align 1
  %52 = lshr i64 %0, 48
  %53 = trunc i64 %52 to i32
  %54 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEP9ls_handlejjj(ptr noundef nonnull %38, i32 noundef %47, i32 noundef %1, i32 noundef %53) #8
  br label %55

55:
  %56 = phi ptr [ %54, %37 ], [ null, %8 ]
  store ptr %56, ptr %22, align 64
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
  store ptr %64, ptr %23, align 8
  br label %65

65:
  %66 = phi i32 [ %18, %63 ], [ 0, %3 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %66
}

define dso_local i32 @lanescope_per_partition(i64 noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = shl i32 %2, 5
  %6 = urem i32 %4, %5
  %7 = icmp eq i32 %6, 0
  %8 = icmp ne i64 %0, 0
  %9 = and i1 %8, %7
  br i1 %9, label %10, label %67

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
  store i64 0, ptr %27, align 8
  %28 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 4
  store i32 -1, ptr %28, align 32
  %29 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 5
  store i32 0, ptr %29, align 4
  %30 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 6
  store i32 -2, ptr %30, align 8
  %31 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 7
  store i32 0, ptr %31, align 4
  %32 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 8
  store i32 0, ptr %32, align 16
  %33 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 9
  store i32 1, ptr %33, align 4
  %34 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 10
  store i32 0, ptr %34, align 8
  %35 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 11
  store i8 0, ptr %35, align 4
  %36 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %24, i64 0, i32 12
  store i8 0, ptr %36, align 1
  %37 = and i64 %0, 281474976710655
  %38 = icmp eq i64 %37, 0
  br i1 %38, label %57, label %39

39:
  %40 = inttoptr i64 %37 to ptr
  %41 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %42 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %43 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %44 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %45 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %46 = mul i32 %44, %45
  %47 = add i32 %46, %43
  %48 = mul i32 %47, %42
  %49 = add i32 %48, %41
  %50 = getelementptr inbounds %struct.ls_handle, ptr %40, i64 0, i32 7
  %51 = load i32, ptr %50, align 4
  %52 = icmp ne i32 %51, 0
  %53 = zext i1 %52 to i8
  store i8 %53, ptr %36, align 1
  %54 = lshr i64 %0, 48
  %55 = trunc i64 %54 to i32
  %56 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEP9ls_handlejjj(ptr noundef nonnull %40, i32 noundef %49, i32 noundef %1, i32 noundef %55) #8
  br label %57

57:
  %58 = phi ptr [ %56, %39 ], [ null, %10 ]
  store ptr %58, ptr %24, align 64
  %59 = icmp eq ptr %58, null
  br i1 %59, label %65, label %60

60:
  %61 = getelementptr inbounds %struct.ls_handle_lane, ptr %58, i64 0, i32 3
  %62 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %61) #9
  %63 = inttoptr i64 %62 to ptr
  %64 = getelementptr inbounds %struct.ls_lane, ptr %63, i64 0, i32 19
  br label %65

65:
  %66 = phi ptr [ %64, %60 ], [ null, %57 ]
  store ptr %66, ptr %25, align 8
  br label %67

67:
  %68 = phi i32 [ %20, %65 ], [ 0, %3 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %68
}

define dso_local i32 @lanescope_per_warp(i64 noundef %0) local_unnamed_addr #0 {
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = lshr i32 %2, 5
  %4 = and i32 %2, 31
  %5 = icmp eq i32 %4, 0
  %6 = icmp ne i64 %0, 0
  %7 = and i1 %5, %6
  br i1 %7, label %8, label %61

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
  store i64 0, ptr %21, align 8
  %22 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 4
  store i32 -1, ptr %22, align 32
  %23 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 5
  store i32 0, ptr %23, align 4
  %24 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 6
  store i32 -2, ptr %24, align 8
  %25 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 7
  store i32 0, ptr %25, align 4
  %26 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 8
  store i32 0, ptr %26, align 16
  %27 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 9
  store i32 1, ptr %27, align 4
  %28 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 10
  store i32 0, ptr %28, align 8
  %29 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 11
  store i8 0, ptr %29, align 4
  %30 = getelementptr inbounds %"class.lanescope::LaneOf", ptr %18, i64 0, i32 12
  store i8 0, ptr %30, align 1
  %31 = and i64 %0, 281474976710655
  %32 = icmp eq i64 %31, 0
  br i1 %32, label %51, label %33

33:
  %34 = inttoptr i64 %31 to ptr
  %35 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %36 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %37 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %38 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %39 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %40 = mul i32 %38, %39
  %41 = add i32 %40, %37
  %42 = mul i32 %41, %36
  %43 = add i32 %42, %35
  %44 = getelementptr inbounds %struct.ls_handle, ptr %34, i64 0, i32 7
  %45 = load i32, ptr %44, align 4
  %46 = icmp ne i32 %45, 0
  %47 = zext i1 %46 to i8
  store i8 %47, ptr %30, align 1
  %48 = lshr i64 %0, 48
  %49 = trunc i64 %48 to i32
  %50 = tail call fastcc noundef ptr @_ZN9lanescopeL9take_laneEP9ls_handlejjj(ptr noundef nonnull %34, i32 noundef %43, i32 noundef %3, i32 noundef %49) #8
  br label %51

51:
  %52 = phi ptr [ %50, %33 ], [ null, %8 ]
  store ptr %52, ptr %18, align 64
  %53 = icmp eq ptr %52, null
  br i1 %53, label %59, label %54

54:
  %55 = getelementptr inbounds %struct.ls_handle_lane, ptr %52, i64 0, i32 3
  %56 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %55) #9
  %57 = inttoptr i64 %56 to ptr
  %58 = getelementptr inbounds %struct.ls_lane, ptr %57, i64 0, i32 19
  br label %59

59:
  %60 = phi ptr [ %58, %54 ], [ null, %51 ]
  store ptr %60, ptr %19, align 8
  br label %61

61:
  %62 = phi i32 [ %15, %59 ], [ 0, %1 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i32 %62
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
  br i1 %15, label %16, label %111

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
  %27 = getelementptr inbounds i64, ptr %20, i64 4
  %28 = load i64, ptr %27, align 32
  %29 = getelementptr inbounds i64, ptr %20, i64 5
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds i64, ptr %20, i64 6
  %32 = load i64, ptr %31, align 16
  %33 = getelementptr inbounds i64, ptr %20, i64 7
  %34 = load i64, ptr %33, align 8
  %35 = icmp ult i64 %32, 4294967296
  %36 = inttoptr i64 %23 to ptr
  br i1 %35, label %78, label %37, !prof !4

37:
  %38 = icmp ult ptr %36, inttoptr (i64 4294967296 to ptr)
  br i1 %38, label %39, label %42

39:
  %40 = trunc i64 %30 to i32
  %41 = add i32 %40, 1
  br label %53

42:
  %43 = inttoptr i64 %21 to ptr
  %44 = inttoptr i64 %25 to ptr
  %45 = trunc i64 %30 to i32
  %46 = add i32 %45, 1
  %47 = lshr i64 %30, 32
  %48 = trunc i64 %47 to i32
  %49 = and i32 %48, 65535
  %50 = trunc i64 %32 to i32
  %51 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjjj(ptr noundef %43, ptr noundef %44, i32 noundef %46, i32 noundef %49, i32 noundef %50) #8
  %52 = ptrtoint ptr %51 to i64
  br label %53

53:
  %54 = phi i32 [ %41, %39 ], [ %46, %42 ]
  %55 = phi i32 [ %40, %39 ], [ %45, %42 ]
  %56 = phi i64 [ %25, %39 ], [ %52, %42 ]
  %57 = icmp sgt i32 %54, -1
  %58 = sext i1 %57 to i32
  %59 = add i32 %54, %58
  %60 = icmp slt i32 %59, 0
  %61 = add i32 %55, %58
  %62 = select i1 %60, i32 1022, i32 %61
  %63 = zext i32 %62 to i64
  %64 = lshr i64 %30, 32
  %65 = trunc i64 %64 to i32
  %66 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %67 = trunc i64 %66 to i32
  %68 = sub i32 %67, %65
  %69 = and i32 %68, 2146959360
  %70 = icmp ugt i32 %69, 524288
  %71 = and i32 %67, 2146959360
  %72 = and i32 %62, -2147483648
  %73 = select i1 %70, i32 -2147483648, i32 %72
  %74 = or disjoint i32 %73, %71
  %75 = zext i32 %74 to i64
  %76 = shl nuw i64 %75, 32
  %77 = or disjoint i64 %76, %63
  br label %78

78:
  %79 = phi i64 [ %77, %53 ], [ %30, %16 ]
  %80 = phi i64 [ %56, %53 ], [ %25, %16 ]
  %81 = phi i64 [ 0, %53 ], [ %32, %16 ]
  %82 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %83 = lshr i64 %79, 32
  %84 = or i64 %83, %81
  %85 = shl nuw i64 %84, 32
  %86 = and i64 %79, 4294967295
  %87 = or disjoint i64 %86, %85
  %88 = trunc i64 %82 to i32
  %89 = and i64 %82, 2146959360
  %90 = xor i64 %89, %84
  %91 = and i64 %34, -1099511627776
  %92 = or disjoint i64 %91, %90
  %93 = or disjoint i64 %92, 4294967296
  %94 = and i32 %2, 32767
  %95 = zext nneg i32 %94 to i64
  %96 = shl nuw nsw i64 %95, 32
  %97 = and i64 %28, 4294967295
  %98 = or disjoint i64 %97, %96
  %99 = icmp ult ptr %36, inttoptr (i64 4294967296 to ptr)
  br i1 %99, label %104, label %100

100:
  %101 = tail call i32 asm sideeffect "mov.b32 $0, $1;", "=r,r"(i32 %1) #9
  %102 = zext i32 %101 to i64
  %103 = or disjoint i64 %96, %102
  br label %104

104:
  %105 = phi i64 [ %98, %78 ], [ %103, %100 ]
  br i1 %99, label %110, label %106

106:
  %107 = lshr i64 %82, 32
  %108 = trunc i64 %107 to i32
  %109 = trunc i64 %105 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr %36, i32 %88, i32 %108, i32 %109, i32 %94) #9
  br label %110

110:
  store i64 %21, ptr %20, align 64
  store i64 %23, ptr %22, align 8
  store i64 %80, ptr %24, align 16
  store i64 %82, ptr %26, align 8
  store i64 %105, ptr %27, align 32
  store i64 %87, ptr %29, align 8
  store i64 %81, ptr %31, align 16
  store i64 %93, ptr %33, align 8
  br label %111

111:
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
  br i1 %13, label %14, label %147

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
  %34 = lshr i64 %27, 32
  %35 = trunc i64 %34 to i32
  %36 = and i64 %33, 1095216660480
  %37 = icmp eq i64 %36, 0
  br i1 %37, label %42, label %38

38:
  %39 = shl i64 %33, 32
  %40 = and i64 %31, 4294967295
  %41 = or disjoint i64 %40, %39
  br label %42

42:
  %43 = phi i64 [ %31, %14 ], [ %41, %38 ]
  %44 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  br i1 %37, label %45, label %110

45:
  %46 = icmp ult i64 %43, 4294967296
  br i1 %46, label %47, label %51, !prof !4

47:
  %48 = trunc i64 %43 to i32
  %49 = lshr i64 %29, 32
  %50 = trunc i64 %49 to i32
  br label %92

51:
  %52 = inttoptr i64 %21 to ptr
  %53 = icmp ult ptr %52, inttoptr (i64 4294967296 to ptr)
  br i1 %53, label %54, label %57

54:
  %55 = trunc i64 %29 to i32
  %56 = add i32 %55, 1
  br label %68

57:
  %58 = inttoptr i64 %19 to ptr
  %59 = inttoptr i64 %23 to ptr
  %60 = trunc i64 %29 to i32
  %61 = add i32 %60, 1
  %62 = lshr i64 %29, 32
  %63 = trunc i64 %62 to i32
  %64 = and i32 %63, 65535
  %65 = trunc i64 %43 to i32
  %66 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjjj(ptr noundef %58, ptr noundef %59, i32 noundef %61, i32 noundef %64, i32 noundef %65) #8
  %67 = ptrtoint ptr %66 to i64
  br label %68

68:
  %69 = phi i32 [ %56, %54 ], [ %61, %57 ]
  %70 = phi i32 [ %55, %54 ], [ %60, %57 ]
  %71 = phi i64 [ %23, %54 ], [ %67, %57 ]
  %72 = icmp sgt i32 %69, -1
  %73 = sext i1 %72 to i32
  %74 = add i32 %69, %73
  %75 = icmp slt i32 %74, 0
  %76 = add i32 %70, %73
  %77 = select i1 %75, i32 1022, i32 %76
  %78 = zext i32 %77 to i64
  %79 = and i64 %29, -4294967296
  %80 = or disjoint i64 %79, %78
  %81 = lshr i64 %29, 32
  %82 = trunc i64 %81 to i32
  %83 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %84 = trunc i64 %83 to i32
  %85 = sub i32 %84, %82
  %86 = and i32 %85, 2146959360
  %87 = icmp ugt i32 %86, 524288
  %88 = and i32 %84, 2146959360
  %89 = and i32 %77, -2147483648
  %90 = select i1 %87, i32 -2147483648, i32 %89
  %91 = or disjoint i32 %90, %88
  br label %92

92:
  %93 = phi i64 [ %29, %47 ], [ %80, %68 ]
  %94 = phi i64 [ %23, %47 ], [ %71, %68 ]
  %95 = phi i32 [ %50, %47 ], [ %91, %68 ]
  %96 = phi i32 [ %48, %47 ], [ 0, %68 ]
  %97 = or i32 %96, %95
  %98 = zext i32 %97 to i64
  %99 = shl nuw i64 %98, 32
  %100 = and i64 %93, 4294967295
  %101 = or disjoint i64 %100, %99
  %102 = trunc i64 %44 to i32
  %103 = and i32 %102, 2146959360
  %104 = xor i32 %97, %103
  %105 = zext i32 %104 to i64
  %106 = and i64 %33, -1099511627776
  %107 = or disjoint i64 %106, %105
  %108 = or disjoint i64 %107, 4294967296
  %109 = shl nuw i64 %105, 32
  br label %110

110:
  %111 = phi i64 [ %101, %92 ], [ %29, %42 ]
  %112 = phi i64 [ %94, %92 ], [ %23, %42 ]
  %113 = phi i64 [ %109, %92 ], [ %43, %42 ]
  %114 = phi i64 [ %108, %92 ], [ %33, %42 ]
  %115 = inttoptr i64 %112 to ptr
  %116 = getelementptr inbounds i8, ptr %115, i64 16
  %117 = ptrtoint ptr %116 to i64
  %118 = inttoptr i64 %21 to ptr
  %119 = icmp ult ptr %118, inttoptr (i64 4294967296 to ptr)
  br i1 %119, label %129, label %120

120:
  %121 = trunc i64 %44 to i32
  %122 = trunc i64 %25 to i32
  %123 = sub i32 %121, %122
  %124 = lshr i64 %44, 16
  %125 = trunc i64 %124 to i32
  %126 = and i32 %125, 2147418112
  %127 = or i32 %126, %35
  %128 = trunc i64 %27 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %116, i32 %121, i32 %123, i32 %128, i32 %127) #9
  br label %129

129:
  %130 = trunc i64 %111 to i32
  %131 = add i32 %130, -1
  %132 = zext i32 %131 to i64
  %133 = and i32 %131, -2147483648
  %134 = lshr i64 %111, 32
  %135 = trunc i64 %134 to i32
  %136 = or i32 %133, %135
  %137 = zext i32 %136 to i64
  %138 = shl nuw i64 %137, 32
  %139 = or disjoint i64 %138, %132
  %140 = and i64 %114, -1095216660481
  %141 = lshr i64 %44, 32
  %142 = lshr i64 %25, 32
  %143 = sub nsw i64 %141, %142
  %144 = and i64 %143, 4294967295
  %145 = and i64 %113, -4294967296
  %146 = or disjoint i64 %145, %144
  store i64 %19, ptr %18, align 64
  store i64 %21, ptr %20, align 8
  store i64 %117, ptr %22, align 16
  store i64 %25, ptr %24, align 8
  store i64 %27, ptr %26, align 32
  store i64 %139, ptr %28, align 8
  store i64 %146, ptr %30, align 16
  store i64 %140, ptr %32, align 8
  br label %147

147:
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
  br i1 %14, label %15, label %121

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
  %35 = lshr i64 %34, 40
  %36 = trunc i64 %35 to i8
  %37 = icmp eq i8 %36, 0
  %38 = and i64 %34, 1095216660480
  %39 = icmp ne i64 %38, 0
  %40 = or i1 %37, %39
  %41 = icmp ult i64 %32, 4294967296
  %42 = select i1 %40, i1 true, i1 %41
  br i1 %42, label %85, label %43, !prof !9

43:
  %44 = inttoptr i64 %22 to ptr
  %45 = icmp ult ptr %44, inttoptr (i64 4294967296 to ptr)
  br i1 %45, label %46, label %49

46:
  %47 = trunc i64 %30 to i32
  %48 = add i32 %47, 1
  br label %60

49:
  %50 = inttoptr i64 %20 to ptr
  %51 = inttoptr i64 %24 to ptr
  %52 = trunc i64 %30 to i32
  %53 = add i32 %52, 1
  %54 = lshr i64 %30, 32
  %55 = trunc i64 %54 to i32
  %56 = and i32 %55, 65535
  %57 = trunc i64 %32 to i32
  %58 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjjj(ptr noundef %50, ptr noundef %51, i32 noundef %53, i32 noundef %56, i32 noundef %57) #8
  %59 = ptrtoint ptr %58 to i64
  br label %60

60:
  %61 = phi i32 [ %48, %46 ], [ %53, %49 ]
  %62 = phi i32 [ %47, %46 ], [ %52, %49 ]
  %63 = phi i64 [ %24, %46 ], [ %59, %49 ]
  %64 = icmp sgt i32 %61, -1
  %65 = sext i1 %64 to i32
  %66 = add i32 %61, %65
  %67 = icmp slt i32 %66, 0
  %68 = add i32 %62, %65
  %69 = select i1 %67, i32 1022, i32 %68
  %70 = zext i32 %69 to i64
  %71 = lshr i64 %30, 32
  %72 = trunc i64 %71 to i32
  %73 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %74 = trunc i64 %73 to i32
  %75 = sub i32 %74, %72
  %76 = and i32 %75, 2146959360
  %77 = icmp ugt i32 %76, 524288
  %78 = and i32 %74, 2146959360
  %79 = and i32 %69, -2147483648
  %80 = select i1 %77, i32 -2147483648, i32 %79
  %81 = or disjoint i32 %80, %78
  %82 = zext i32 %81 to i64
  %83 = shl nuw i64 %82, 32
  %84 = or disjoint i64 %83, %70
  br label %85

85:
  %86 = phi i64 [ %84, %60 ], [ %30, %15 ]
  %87 = phi i64 [ %63, %60 ], [ %24, %15 ]
  %88 = phi i64 [ 0, %60 ], [ %32, %15 ]
  %89 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %90 = and i32 %1, 32767
  %91 = or disjoint i32 %90, 32768
  br i1 %40, label %104, label %92

92:
  %93 = lshr i64 %86, 32
  %94 = or i64 %93, %88
  %95 = shl i64 %94, 32
  %96 = and i64 %86, 4294967295
  %97 = or disjoint i64 %96, %95
  %98 = and i64 %89, 2146959360
  %99 = and i64 %94, 4294967295
  %100 = xor i64 %98, %99
  %101 = and i64 %34, -1099511627776
  %102 = or disjoint i64 %101, %100
  %103 = or disjoint i64 %102, 4294967296
  br label %104

104:
  %105 = phi i64 [ %97, %92 ], [ %86, %85 ]
  %106 = phi i64 [ %103, %92 ], [ %34, %85 ]
  %107 = icmp eq i8 %36, 0
  br i1 %107, label %117, label %108

108:
  %109 = inttoptr i64 %22 to ptr
  %110 = icmp ult ptr %109, inttoptr (i64 4294967296 to ptr)
  br i1 %110, label %117, label %111

111:
  %112 = getelementptr inbounds %struct.ls_slice_now, ptr %109, i64 0, i32 3
  %113 = trunc i64 %89 to i32
  %114 = lshr i64 %89, 32
  %115 = trunc i64 %114 to i32
  %116 = trunc i64 %28 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %112, i32 %113, i32 %115, i32 %116, i32 %91) #9
  br label %117

117:
  %118 = zext nneg i32 %90 to i64
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %87, ptr %23, align 16
  store i64 %26, ptr %25, align 8
  store i64 %28, ptr %27, align 32
  store i64 %105, ptr %29, align 8
  store i64 %88, ptr %31, align 16
  store i64 %106, ptr %33, align 8
  %119 = shl i64 %89, 16
  %120 = or disjoint i64 %119, %118
  br label %121

121:
  %122 = phi i64 [ %120, %117 ], [ 0, %2 ]
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret i64 %122
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
  br i1 %14, label %15, label %202

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
  %42 = and i64 %34, 280375465082880
  %43 = icmp eq i64 %42, 0
  br i1 %43, label %197, label %44

44:
  %45 = and i64 %34, 1095216660480
  %46 = icmp eq i64 %45, 0
  br i1 %46, label %51, label %47

47:
  %48 = shl i64 %34, 32
  %49 = and i64 %32, 4294967295
  %50 = or disjoint i64 %49, %48
  br label %51

51:
  %52 = phi i64 [ %32, %44 ], [ %50, %47 ]
  %53 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  br i1 %46, label %57, label %54

54:
  %55 = trunc i64 %53 to i32
  %56 = and i64 %52, -4294967296
  br label %122

57:
  %58 = icmp ult i64 %52, 4294967296
  br i1 %58, label %59, label %63, !prof !4

59:
  %60 = trunc i64 %52 to i32
  %61 = lshr i64 %30, 32
  %62 = trunc i64 %61 to i32
  br label %104

63:
  %64 = inttoptr i64 %22 to ptr
  %65 = icmp ult ptr %64, inttoptr (i64 4294967296 to ptr)
  br i1 %65, label %66, label %69

66:
  %67 = trunc i64 %30 to i32
  %68 = add i32 %67, 1
  br label %80

69:
  %70 = inttoptr i64 %20 to ptr
  %71 = inttoptr i64 %24 to ptr
  %72 = trunc i64 %30 to i32
  %73 = add i32 %72, 1
  %74 = lshr i64 %30, 32
  %75 = trunc i64 %74 to i32
  %76 = and i32 %75, 65535
  %77 = trunc i64 %52 to i32
  %78 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjjj(ptr noundef %70, ptr noundef %71, i32 noundef %73, i32 noundef %76, i32 noundef %77) #8
  %79 = ptrtoint ptr %78 to i64
  br label %80

80:
  %81 = phi i32 [ %68, %66 ], [ %73, %69 ]
  %82 = phi i32 [ %67, %66 ], [ %72, %69 ]
  %83 = phi i64 [ %24, %66 ], [ %79, %69 ]
  %84 = icmp sgt i32 %81, -1
  %85 = sext i1 %84 to i32
  %86 = add i32 %81, %85
  %87 = icmp slt i32 %86, 0
  %88 = add i32 %82, %85
  %89 = select i1 %87, i32 1022, i32 %88
  %90 = zext i32 %89 to i64
  %91 = and i64 %30, -4294967296
  %92 = or disjoint i64 %91, %90
  %93 = lshr i64 %30, 32
  %94 = trunc i64 %93 to i32
  %95 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %96 = trunc i64 %95 to i32
  %97 = sub i32 %96, %94
  %98 = and i32 %97, 2146959360
  %99 = icmp ugt i32 %98, 524288
  %100 = and i32 %96, 2146959360
  %101 = and i32 %89, -2147483648
  %102 = select i1 %99, i32 -2147483648, i32 %101
  %103 = or disjoint i32 %102, %100
  br label %104

104:
  %105 = phi i64 [ %30, %59 ], [ %92, %80 ]
  %106 = phi i64 [ %24, %59 ], [ %83, %80 ]
  %107 = phi i32 [ %62, %59 ], [ %103, %80 ]
  %108 = phi i32 [ %60, %59 ], [ 0, %80 ]
  %109 = or i32 %108, %107
  %110 = zext i32 %109 to i64
  %111 = shl nuw i64 %110, 32
  %112 = and i64 %105, 4294967295
  %113 = or disjoint i64 %112, %111
  %114 = trunc i64 %53 to i32
  %115 = and i32 %114, 2146959360
  %116 = xor i32 %109, %115
  %117 = zext i32 %116 to i64
  %118 = and i64 %34, -1099511627776
  %119 = or disjoint i64 %118, %117
  %120 = or disjoint i64 %119, 4294967296
  %121 = shl nuw i64 %117, 32
  br label %122

122:
  %123 = phi i64 [ %113, %104 ], [ %30, %54 ]
  %124 = phi i64 [ %106, %104 ], [ %24, %54 ]
  %125 = phi i64 [ %121, %104 ], [ %56, %54 ]
  %126 = phi i64 [ %120, %104 ], [ %34, %54 ]
  %127 = phi i32 [ %114, %104 ], [ %55, %54 ]
  %128 = inttoptr i64 %124 to ptr
  %129 = getelementptr inbounds i8, ptr %128, i64 16
  %130 = ptrtoint ptr %129 to i64
  %131 = inttoptr i64 %22 to ptr
  %132 = icmp ult ptr %131, inttoptr (i64 4294967296 to ptr)
  br i1 %132, label %142, label %133

133:
  %134 = trunc i64 %39 to i32
  %135 = sub i32 %127, %134
  %136 = lshr i64 %53, 16
  %137 = trunc i64 %136 to i32
  %138 = and i32 %137, 2147418112
  %139 = or disjoint i32 %41, %138
  %140 = or disjoint i32 %139, 32768
  %141 = trunc i64 %28 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %129, i32 %127, i32 %135, i32 %141, i32 %140) #9
  br label %142

142:
  %143 = trunc i64 %123 to i32
  %144 = add i32 %143, -1
  %145 = and i32 %144, -2147483648
  %146 = lshr i64 %123, 32
  %147 = trunc i64 %146 to i32
  %148 = or i32 %145, %147
  %149 = lshr i64 %53, 32
  %150 = trunc i64 %149 to i32
  %151 = lshr i64 %39, 32
  %152 = trunc i64 %151 to i32
  %153 = sub i32 %150, %152
  %154 = zext i32 %153 to i64
  %155 = or disjoint i64 %125, %154
  %156 = icmp eq i64 %125, 0
  br i1 %156, label %180, label %157, !prof !4

157:
  br i1 %132, label %163, label %158

158:
  %159 = and i32 %147, 65535
  %160 = inttoptr i64 %20 to ptr
  %161 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjjj(ptr noundef %160, ptr noundef nonnull %129, i32 noundef %143, i32 noundef %159, i32 noundef %153) #8
  %162 = ptrtoint ptr %161 to i64
  br label %163

163:
  %164 = phi i64 [ %130, %157 ], [ %162, %158 ]
  %165 = icmp sgt i32 %143, -1
  %166 = sext i1 %165 to i32
  %167 = add i32 %143, %166
  %168 = icmp slt i32 %167, 0
  %169 = add i32 %144, %166
  %170 = select i1 %168, i32 1022, i32 %169
  %171 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %172 = trunc i64 %171 to i32
  %173 = sub i32 %172, %147
  %174 = and i32 %173, 2146959360
  %175 = icmp ugt i32 %174, 524288
  %176 = and i32 %172, 2146959360
  %177 = and i32 %170, -2147483648
  %178 = select i1 %175, i32 -2147483648, i32 %177
  %179 = or disjoint i32 %178, %176
  br label %180

180:
  %181 = phi i32 [ %144, %142 ], [ %170, %163 ]
  %182 = phi i64 [ %130, %142 ], [ %164, %163 ]
  %183 = phi i64 [ %155, %142 ], [ 0, %163 ]
  %184 = phi i32 [ %148, %142 ], [ %179, %163 ]
  %185 = phi i32 [ %153, %142 ], [ 0, %163 ]
  %186 = zext i32 %181 to i64
  %187 = or i32 %185, %184
  %188 = zext i32 %187 to i64
  %189 = shl nuw i64 %188, 32
  %190 = or disjoint i64 %189, %186
  %191 = and i32 %127, 2146959360
  %192 = xor i32 %187, %191
  %193 = zext i32 %192 to i64
  %194 = and i64 %126, -1099511627776
  %195 = or disjoint i64 %194, %193
  %196 = or disjoint i64 %195, 4294967296
  br label %197

197:
  %198 = phi i64 [ %30, %15 ], [ %190, %180 ]
  %199 = phi i64 [ %24, %15 ], [ %182, %180 ]
  %200 = phi i64 [ %32, %15 ], [ %183, %180 ]
  %201 = phi i64 [ %34, %15 ], [ %196, %180 ]
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %199, ptr %23, align 16
  store i64 %26, ptr %25, align 8
  store i64 %28, ptr %27, align 32
  store i64 %198, ptr %29, align 8
  store i64 %200, ptr %31, align 16
  store i64 %201, ptr %33, align 8
  br label %202

202:
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
  br i1 %14, label %15, label %179

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
  %35 = and i64 %34, 280375465082880
  %36 = icmp eq i64 %35, 0
  br i1 %36, label %174, label %37

37:
  %38 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %39 = and i64 %34, 1095216660480
  %40 = icmp eq i64 %39, 0
  br i1 %40, label %44, label %41

41:
  %42 = trunc i64 %34 to i32
  %43 = and i64 %34, 4294967295
  br label %108

44:
  %45 = icmp ult i64 %32, 4294967296
  br i1 %45, label %46, label %50, !prof !4

46:
  %47 = trunc i64 %32 to i32
  %48 = lshr i64 %30, 32
  %49 = trunc i64 %48 to i32
  br label %91

50:
  %51 = inttoptr i64 %22 to ptr
  %52 = icmp ult ptr %51, inttoptr (i64 4294967296 to ptr)
  br i1 %52, label %53, label %56

53:
  %54 = trunc i64 %30 to i32
  %55 = add i32 %54, 1
  br label %67

56:
  %57 = inttoptr i64 %20 to ptr
  %58 = inttoptr i64 %24 to ptr
  %59 = trunc i64 %30 to i32
  %60 = add i32 %59, 1
  %61 = lshr i64 %30, 32
  %62 = trunc i64 %61 to i32
  %63 = and i32 %62, 65535
  %64 = trunc i64 %32 to i32
  %65 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjjj(ptr noundef %57, ptr noundef %58, i32 noundef %60, i32 noundef %63, i32 noundef %64) #8
  %66 = ptrtoint ptr %65 to i64
  br label %67

67:
  %68 = phi i32 [ %55, %53 ], [ %60, %56 ]
  %69 = phi i32 [ %54, %53 ], [ %59, %56 ]
  %70 = phi i64 [ %24, %53 ], [ %66, %56 ]
  %71 = icmp sgt i32 %68, -1
  %72 = sext i1 %71 to i32
  %73 = add i32 %68, %72
  %74 = icmp slt i32 %73, 0
  %75 = add i32 %69, %72
  %76 = select i1 %74, i32 1022, i32 %75
  %77 = zext i32 %76 to i64
  %78 = and i64 %30, -4294967296
  %79 = or disjoint i64 %78, %77
  %80 = lshr i64 %30, 32
  %81 = trunc i64 %80 to i32
  %82 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %83 = trunc i64 %82 to i32
  %84 = sub i32 %83, %81
  %85 = and i32 %84, 2146959360
  %86 = icmp ugt i32 %85, 524288
  %87 = and i32 %83, 2146959360
  %88 = and i32 %76, -2147483648
  %89 = select i1 %86, i32 -2147483648, i32 %88
  %90 = or disjoint i32 %89, %87
  br label %91

91:
  %92 = phi i64 [ %30, %46 ], [ %79, %67 ]
  %93 = phi i64 [ %24, %46 ], [ %70, %67 ]
  %94 = phi i32 [ %49, %46 ], [ %90, %67 ]
  %95 = phi i32 [ %47, %46 ], [ 0, %67 ]
  %96 = or i32 %95, %94
  %97 = zext i32 %96 to i64
  %98 = shl nuw i64 %97, 32
  %99 = and i64 %92, 4294967295
  %100 = or disjoint i64 %99, %98
  %101 = trunc i64 %38 to i32
  %102 = and i32 %101, 2146959360
  %103 = xor i32 %96, %102
  %104 = zext i32 %103 to i64
  %105 = and i64 %34, -1099511627776
  %106 = or disjoint i64 %105, %104
  %107 = or disjoint i64 %106, 4294967296
  br label %108

108:
  %109 = phi i64 [ %104, %91 ], [ %43, %41 ]
  %110 = phi i64 [ %100, %91 ], [ %30, %41 ]
  %111 = phi i64 [ %93, %91 ], [ %24, %41 ]
  %112 = phi i64 [ %107, %91 ], [ %34, %41 ]
  %113 = phi i32 [ %103, %91 ], [ %42, %41 ]
  %114 = shl nuw i64 %109, 32
  %115 = inttoptr i64 %111 to ptr
  %116 = getelementptr inbounds i8, ptr %115, i64 16
  %117 = ptrtoint ptr %116 to i64
  %118 = inttoptr i64 %22 to ptr
  %119 = icmp ult ptr %118, inttoptr (i64 4294967296 to ptr)
  br i1 %119, label %127, label %120

120:
  %121 = trunc i64 %38 to i32
  %122 = lshr i64 %38, 16
  %123 = trunc i64 %122 to i32
  %124 = and i32 %123, 2147418112
  %125 = or disjoint i32 %124, 65534
  %126 = trunc i64 %28 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %116, i32 %121, i32 %1, i32 %126, i32 %125) #9
  br label %127

127:
  %128 = trunc i64 %110 to i32
  %129 = add i32 %128, -1
  %130 = and i32 %129, -2147483648
  %131 = lshr i64 %110, 32
  %132 = trunc i64 %131 to i32
  %133 = or i32 %130, %132
  %134 = icmp eq i32 %113, 0
  br i1 %134, label %158, label %135, !prof !4

135:
  br i1 %119, label %141, label %136

136:
  %137 = and i32 %132, 65535
  %138 = inttoptr i64 %20 to ptr
  %139 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjjj(ptr noundef %138, ptr noundef nonnull %116, i32 noundef %128, i32 noundef %137, i32 noundef 0) #8
  %140 = ptrtoint ptr %139 to i64
  br label %141

141:
  %142 = phi i64 [ %117, %135 ], [ %140, %136 ]
  %143 = icmp sgt i32 %128, -1
  %144 = sext i1 %143 to i32
  %145 = add i32 %128, %144
  %146 = icmp slt i32 %145, 0
  %147 = add i32 %129, %144
  %148 = select i1 %146, i32 1022, i32 %147
  %149 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %150 = trunc i64 %149 to i32
  %151 = sub i32 %150, %132
  %152 = and i32 %151, 2146959360
  %153 = icmp ugt i32 %152, 524288
  %154 = and i32 %150, 2146959360
  %155 = and i32 %148, -2147483648
  %156 = select i1 %153, i32 -2147483648, i32 %155
  %157 = or disjoint i32 %156, %154
  br label %158

158:
  %159 = phi i32 [ %148, %141 ], [ %129, %127 ]
  %160 = phi i64 [ %142, %141 ], [ %117, %127 ]
  %161 = phi i64 [ 0, %141 ], [ %114, %127 ]
  %162 = phi i32 [ %157, %141 ], [ %133, %127 ]
  %163 = zext i32 %162 to i64
  %164 = shl nuw i64 %163, 32
  %165 = zext i32 %159 to i64
  %166 = or disjoint i64 %164, %165
  %167 = trunc i64 %38 to i32
  %168 = and i32 %167, 2146959360
  %169 = xor i32 %162, %168
  %170 = zext i32 %169 to i64
  %171 = and i64 %112, -1099511627776
  %172 = or disjoint i64 %171, %170
  %173 = or disjoint i64 %172, 4294967296
  br label %174

174:
  %175 = phi i64 [ %30, %15 ], [ %166, %158 ]
  %176 = phi i64 [ %24, %15 ], [ %160, %158 ]
  %177 = phi i64 [ %32, %15 ], [ %161, %158 ]
  %178 = phi i64 [ %34, %15 ], [ %173, %158 ]
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %176, ptr %23, align 16
  store i64 %26, ptr %25, align 8
  store i64 %28, ptr %27, align 32
  store i64 %175, ptr %29, align 8
  store i64 %177, ptr %31, align 16
  store i64 %178, ptr %33, align 8
  br label %179

179:
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
  br i1 %14, label %15, label %179

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
  %35 = and i64 %34, 280375465082880
  %36 = icmp eq i64 %35, 0
  br i1 %36, label %174, label %37

37:
  %38 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %39 = and i64 %34, 1095216660480
  %40 = icmp eq i64 %39, 0
  br i1 %40, label %44, label %41

41:
  %42 = trunc i64 %34 to i32
  %43 = and i64 %34, 4294967295
  br label %108

44:
  %45 = icmp ult i64 %32, 4294967296
  br i1 %45, label %46, label %50, !prof !4

46:
  %47 = trunc i64 %32 to i32
  %48 = lshr i64 %30, 32
  %49 = trunc i64 %48 to i32
  br label %91

50:
  %51 = inttoptr i64 %22 to ptr
  %52 = icmp ult ptr %51, inttoptr (i64 4294967296 to ptr)
  br i1 %52, label %53, label %56

53:
  %54 = trunc i64 %30 to i32
  %55 = add i32 %54, 1
  br label %67

56:
  %57 = inttoptr i64 %20 to ptr
  %58 = inttoptr i64 %24 to ptr
  %59 = trunc i64 %30 to i32
  %60 = add i32 %59, 1
  %61 = lshr i64 %30, 32
  %62 = trunc i64 %61 to i32
  %63 = and i32 %62, 65535
  %64 = trunc i64 %32 to i32
  %65 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjjj(ptr noundef %57, ptr noundef %58, i32 noundef %60, i32 noundef %63, i32 noundef %64) #8
  %66 = ptrtoint ptr %65 to i64
  br label %67

67:
  %68 = phi i32 [ %55, %53 ], [ %60, %56 ]
  %69 = phi i32 [ %54, %53 ], [ %59, %56 ]
  %70 = phi i64 [ %24, %53 ], [ %66, %56 ]
  %71 = icmp sgt i32 %68, -1
  %72 = sext i1 %71 to i32
  %73 = add i32 %68, %72
  %74 = icmp slt i32 %73, 0
  %75 = add i32 %69, %72
  %76 = select i1 %74, i32 1022, i32 %75
  %77 = zext i32 %76 to i64
  %78 = and i64 %30, -4294967296
  %79 = or disjoint i64 %78, %77
  %80 = lshr i64 %30, 32
  %81 = trunc i64 %80 to i32
  %82 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %83 = trunc i64 %82 to i32
  %84 = sub i32 %83, %81
  %85 = and i32 %84, 2146959360
  %86 = icmp ugt i32 %85, 524288
  %87 = and i32 %83, 2146959360
  %88 = and i32 %76, -2147483648
  %89 = select i1 %86, i32 -2147483648, i32 %88
  %90 = or disjoint i32 %89, %87
  br label %91

91:
  %92 = phi i64 [ %30, %46 ], [ %79, %67 ]
  %93 = phi i64 [ %24, %46 ], [ %70, %67 ]
  %94 = phi i32 [ %49, %46 ], [ %90, %67 ]
  %95 = phi i32 [ %47, %46 ], [ 0, %67 ]
  %96 = or i32 %95, %94
  %97 = zext i32 %96 to i64
  %98 = shl nuw i64 %97, 32
  %99 = and i64 %92, 4294967295
  %100 = or disjoint i64 %99, %98
  %101 = trunc i64 %38 to i32
  %102 = and i32 %101, 2146959360
  %103 = xor i32 %96, %102
  %104 = zext i32 %103 to i64
  %105 = and i64 %34, -1099511627776
  %106 = or disjoint i64 %105, %104
  %107 = or disjoint i64 %106, 4294967296
  br label %108

108:
  %109 = phi i64 [ %104, %91 ], [ %43, %41 ]
  %110 = phi i64 [ %100, %91 ], [ %30, %41 ]
  %111 = phi i64 [ %93, %91 ], [ %24, %41 ]
  %112 = phi i64 [ %107, %91 ], [ %34, %41 ]
  %113 = phi i32 [ %103, %91 ], [ %42, %41 ]
  %114 = shl nuw i64 %109, 32
  %115 = inttoptr i64 %111 to ptr
  %116 = getelementptr inbounds i8, ptr %115, i64 16
  %117 = ptrtoint ptr %116 to i64
  %118 = inttoptr i64 %22 to ptr
  %119 = icmp ult ptr %118, inttoptr (i64 4294967296 to ptr)
  br i1 %119, label %127, label %120

120:
  %121 = trunc i64 %38 to i32
  %122 = lshr i64 %38, 16
  %123 = trunc i64 %122 to i32
  %124 = and i32 %123, 2147418112
  %125 = or disjoint i32 %124, 65535
  %126 = trunc i64 %28 to i32
  tail call void asm sideeffect "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"(ptr nonnull %116, i32 %121, i32 %1, i32 %126, i32 %125) #9
  br label %127

127:
  %128 = trunc i64 %110 to i32
  %129 = add i32 %128, -1
  %130 = and i32 %129, -2147483648
  %131 = lshr i64 %110, 32
  %132 = trunc i64 %131 to i32
  %133 = or i32 %130, %132
  %134 = icmp eq i32 %113, 0
  br i1 %134, label %158, label %135, !prof !4

135:
  br i1 %119, label %141, label %136

136:
  %137 = and i32 %132, 65535
  %138 = inttoptr i64 %20 to ptr
  %139 = tail call fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjjj(ptr noundef %138, ptr noundef nonnull %116, i32 noundef %128, i32 noundef %137, i32 noundef 0) #8
  %140 = ptrtoint ptr %139 to i64
  br label %141

141:
  %142 = phi i64 [ %117, %135 ], [ %140, %136 ]
  %143 = icmp sgt i32 %128, -1
  %144 = sext i1 %143 to i32
  %145 = add i32 %128, %144
  %146 = icmp slt i32 %145, 0
  %147 = add i32 %129, %144
  %148 = select i1 %146, i32 1022, i32 %147
  %149 = tail call noundef i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"() #9
  %150 = trunc i64 %149 to i32
  %151 = sub i32 %150, %132
  %152 = and i32 %151, 2146959360
  %153 = icmp ugt i32 %152, 524288
  %154 = and i32 %150, 2146959360
  %155 = and i32 %148, -2147483648
  %156 = select i1 %153, i32 -2147483648, i32 %155
  %157 = or disjoint i32 %156, %154
  br label %158

158:
  %159 = phi i32 [ %148, %141 ], [ %129, %127 ]
  %160 = phi i64 [ %142, %141 ], [ %117, %127 ]
  %161 = phi i64 [ 0, %141 ], [ %114, %127 ]
  %162 = phi i32 [ %157, %141 ], [ %133, %127 ]
  %163 = zext i32 %162 to i64
  %164 = shl nuw i64 %163, 32
  %165 = zext i32 %159 to i64
  %166 = or disjoint i64 %164, %165
  %167 = trunc i64 %38 to i32
  %168 = and i32 %167, 2146959360
  %169 = xor i32 %162, %168
  %170 = zext i32 %169 to i64
  %171 = and i64 %112, -1099511627776
  %172 = or disjoint i64 %171, %170
  %173 = or disjoint i64 %172, 4294967296
  br label %174

174:
  %175 = phi i64 [ %30, %15 ], [ %166, %158 ]
  %176 = phi i64 [ %24, %15 ], [ %160, %158 ]
  %177 = phi i64 [ %32, %15 ], [ %161, %158 ]
  %178 = phi i64 [ %34, %15 ], [ %173, %158 ]
  store i64 %20, ptr %19, align 64
  store i64 %22, ptr %21, align 8
  store i64 %176, ptr %23, align 16
  store i64 %26, ptr %25, align 8
  store i64 %28, ptr %27, align 32
  store i64 %175, ptr %29, align 8
  store i64 %177, ptr %31, align 16
  store i64 %178, ptr %33, align 8
  br label %179

179:
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
  br i1 %13, label %14, label %49

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
  br i1 %35, label %48, label %36

36:
  %37 = inttoptr i64 %19 to ptr
  %38 = inttoptr i64 %23 to ptr
  %39 = trunc i64 %29 to i32
  %40 = add i32 %39, 1
  %41 = and i64 %33, 1095216660480
  %42 = icmp eq i64 %41, 0
  %43 = lshr i64 %29, 32
  %44 = trunc i64 %43 to i32
  %45 = and i32 %44, 65535
  %46 = select i1 %42, i32 %45, i32 0
  %47 = trunc i64 %31 to i32
  tail call fastcc void @_ZN9lanescopeL14give_lane_backEP14ls_handle_lanePhjjj(ptr noundef %37, ptr noundef %38, i32 noundef %40, i32 noundef %46, i32 noundef %47) #8
  br label %48

48:
  store i64 %19, ptr %18, align 64
  store i64 0, ptr %20, align 8
  store i64 %23, ptr %22, align 16
  store i64 %25, ptr %24, align 8
  store i64 %27, ptr %26, align 32
  store i64 %29, ptr %28, align 8
  store i64 %31, ptr %30, align 16
  store i64 %33, ptr %32, align 8
  br label %49

49:
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

define internal fastcc noundef ptr @_ZN9lanescopeL10next_placeEP14ls_handle_lanePhjjj(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4) unnamed_addr #3 {
  tail call fastcc void @_ZN9lanescopeL13lengthen_lastEPhjj(ptr noundef %1, i32 noundef %3, i32 noundef %4) #10
  %6 = icmp sgt i32 %2, -1
  br i1 %6, label %7, label %10

7:
  %8 = icmp eq i32 %2, 0
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  tail call fastcc void @_ZN9lanescopeL10put_momentEP14ls_handle_lanePh(ptr noundef %0, ptr noundef %1) #8
  br label %10

10:
  %11 = phi i1 [ %8, %7 ], [ true, %5 ]
  %12 = phi ptr [ %9, %7 ], [ %1, %5 ]
  br i1 %11, label %13, label %15

13:
  %14 = tail call fastcc noundef ptr @_ZN9lanescopeL11next_bufferEP14ls_handle_lane(ptr noundef %0) #8
  br label %15

15:
  %16 = phi ptr [ %14, %13 ], [ %12, %10 ]
  ret ptr %16
}

define internal fastcc void @_ZN9lanescopeL13lengthen_lastEPhjj(ptr nocapture noundef %0, i32 noundef %1, i32 noundef %2) unnamed_addr #6 {
  %4 = icmp eq i32 %1, 0
  br i1 %4, label %7, label %5

5:
  %6 = getelementptr inbounds %struct.ls_slice, ptr %0, i64 -2
  tail call fastcc void @_ZN9lanescopeL8lengthenEP8ls_slicej(ptr noundef nonnull %6, i32 noundef %1) #10
  br label %7

7:
  %8 = icmp eq i32 %2, 0
  br i1 %8, label %11, label %9

9:
  %10 = getelementptr inbounds %struct.ls_slice, ptr %0, i64 -1
  tail call fastcc void @_ZN9lanescopeL8lengthenEP8ls_slicej(ptr noundef nonnull %10, i32 noundef %2) #10
  br label %11

11:
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

define internal fastcc void @_ZN9lanescopeL14give_lane_backEP14ls_handle_lanePhjjj(ptr noundef %0, ptr nocapture noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4) unnamed_addr #3 {
  tail call fastcc void @_ZN9lanescopeL13lengthen_lastEPhjj(ptr noundef %1, i32 noundef %3, i32 noundef %4) #10
  %6 = sub i32 1023, %2
  tail call fastcc void @_ZN9lanescopeL6settleEP14ls_handle_lanej(ptr noundef %0, i32 noundef %6) #8
  %7 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 8
  store i32 0, ptr %7, align 4
  %8 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 3
  %9 = tail call noundef i64 asm sideeffect "ld.global.u64 $0, [$1];", "=l,l,~{memory}"(ptr nonnull %8) #9
  %10 = inttoptr i64 %9 to ptr
  %11 = getelementptr inbounds %struct.ls_lane, ptr %10, i64 0, i32 20
  tail call void asm sideeffect "st.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr nonnull %11, i64 0, i64 0) #9
  tail call void @llvm.nvvm.membar.gl()
  %12 = getelementptr inbounds %struct.ls_handle_lane, ptr %0, i64 0, i32 7
  %13 = tail call noundef i32 asm sideeffect "atom.exch.b32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr nonnull %12, i32 0) #9
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
