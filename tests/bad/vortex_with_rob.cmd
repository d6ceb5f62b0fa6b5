// run: run vecadd --size tiny --machine vortex2021 --set sm.order=rob
// exit: 2
// stderr: vortex2021: error: sm.order is rob; with sm.pipeline = vortex it must be in_order: its scoreboard has a bit for each register, and its results one port to come home by
