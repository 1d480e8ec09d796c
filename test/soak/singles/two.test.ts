/** Ten thousand histories of single creates of the family "two", in `npm run safety -- singles`. */
import { it } from 'vitest';
import { playFamily, TITLE } from './family.js';

it(TITLE, () => playFamily('two'), 7_200_000);
