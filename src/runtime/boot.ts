/** The port to the boot of this machine: its name, and what has passed since, sleep included. */
import { readFileSync } from 'node:fs';

export interface BootTime {
  /** Another one after each boot; empty where the machine does not say it. */
  readonly bootId: string;
  /** Milliseconds since that boot. The time in which the machine slept is in it. */
  readonly bootMs: number;
}

const LINUX = '/proc/sys/kernel/random/boot_id';
const SYSCTL = '/usr/sbin/sysctl';

let known: string | null = null;

/** What it takes is loaded when it is asked for: most commands never do. */
export function systemBoot(): BootTime {
  known ??= readBootId();
  return { bootId: known, bootMs: process.getBuiltinModule('node:os').uptime() * 1000 };
}

function readBootId(): string {
  if (process.platform === 'darwin') {
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    const { stdout } = spawnSync(SYSCTL, ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8', timeout: 1000 });
    return idIn(stdout);
  }
  try {
    return idIn(readFileSync(LINUX, 'utf8'));
  } catch {
    return '';
  }
}

/** Whatever else is said there names no boot. */
function idIn(text: string | null): string {
  return /^[0-9a-f-]{32,40}$/i.exec((text ?? '').trim())?.[0].toLowerCase() ?? '';
}
