import { beforeEach } from 'vitest';
import { openWorld, type World } from './world.js';

export let world: World;

export function aWorldForEachTest(): void {
  beforeEach(async () => {
    world = await openWorld();
  });
}
