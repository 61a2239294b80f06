/** How long a page leaves people without an answer. */

/**
 * From now on, what pointers cause and the browser is long about: from the event until the next frame, as the browser
 * measures it (in steps of 8 ms, nothing below 16), and the longest time without a frame.
 */
export const WATCH_FRAMES = `(() => {
  window.slowestEvent = 0;
  window.longestFrame = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.slowestEvent = Math.max(window.slowestEvent, duration);
  }).observe({ type: 'event', durationThreshold: 16 });
  let last = performance.now();
  const look = (now) => {
    window.longestFrame = Math.max(window.longestFrame, now - last);
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;
