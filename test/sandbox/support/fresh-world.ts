/** A sandbox of its own for each test of the file that imports this. */
import { beforeEach } from 'vitest';
import { openWorld, type World } from './world.js';

export let world: World;

beforeEach(async () => {
  world = await openWorld();
});
