import { beforeEach } from 'vitest';
import { openWorld, type World } from './world.js';

/** The sandbox of the running test, in a file that has asked for `aWorldForEachTest`. */
export let world: World;

/** Opens a sandbox of its own for each test of the file that calls this. */
export function aWorldForEachTest(): void {
  beforeEach(async () => {
    world = await openWorld();
  });
}
