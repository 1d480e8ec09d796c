const SHOWN = 20;

export default class Times {
  /** @param {ReadonlyArray<import('vitest/node').TestModule>} modules */
  onTestRunEnd(modules) {
    const times = modules
      .map((one) => ({
        name: one.relativeModuleId,
        ms: one.diagnostic().duration,
        tests: [...one.children.allTests()].length,
      }))
      .sort((a, b) => b.ms - a.ms);
    const seconds = (/** @type {number} */ ms) => (ms / 1000).toFixed(1).padStart(7);
    const all = times.reduce((sum, { ms }) => sum + ms, 0);
    console.log(`\n${seconds(all)} s in ${String(times.length)} files, of which`);
    for (const { name, ms, tests } of times.slice(0, SHOWN))
      console.log(`${seconds(ms)} s  ${String(tests).padStart(4)} tests  ${name}`);
  }
}
