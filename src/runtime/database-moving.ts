/** The line that moves a database's file out of the way, with what SQLite keeps beside it. */
import { existsSync } from 'node:fs';
import { quote } from './shell.js';

/**
 * To be typed. Whatever already stands under a name like the new one stays there. The log goes first: beside a new file of the old name it
 * would be taken for that one's.
 * @param version of its tables, which the new name says
 */
export function movingLine(file: string, version: number): string {
  const [from, to] = [quote(file), quote(freeName(`${file}.v${version}`))];
  return `for end in -wal -shm ''; do [ ! -e ${from}"$end" ] || mv -- ${from}"$end" ${to}"$end" || break; done`;
}

function freeName(name: string): string {
  for (let count = 1; ; count += 1) {
    const found = count === 1 ? name : `${name}-${count}`;
    if (!['', '-wal', '-shm'].some((end) => existsSync(found + end))) return found;
  }
}
