/** The port to repetition: something that happens again and again while something else is under way. */

/** Calls back every so many milliseconds until the function it returns is called; it does not hold the process. */
export type Ticker = (ms: number, work: () => void) => () => void;

export const systemTicker: Ticker = (ms, work) => {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
};
