/** Ten thousand histories of single creates of the family "clocks", in `npm run safety -- singles`. */
import { it } from 'vitest';
import { playFamily, TITLE } from './family.js';

it(TITLE, () => playFamily('clocks'), 7_200_000);
