/** The port to this machine and its processes: its name, which process this is, and whether another one still lives. */
import { readFileSync, readlinkSync } from 'node:fs';
import { systemBoot } from './clock.js';
import { hostname, userInfo } from 'node:os';

/** One process of one boot of one machine: its number may be another's later. */
export interface ProcessName {
  /** The machine, and within it whatever has numbers of its own for processes. */
  readonly machine: string;
  /** Empty where the machine does not say it. */
  readonly bootId: string;
  readonly pid: number;
  /** When it began, as the machine counts that; empty where it does not say it. */
  readonly started: string;
}

export interface Processes {
  self(): ProcessName;
  /** Null where nobody here can say it: another machine, or one that does not say when a process began. */
  lives(process: ProcessName): boolean | null;
}

let known: ProcessName | null = null;

export const systemProcesses: Processes = { self, lives };

function self(): ProcessName {
  known ??= {
    machine: [machineName(), numbering()].join(' ').trim(),
    bootId: systemBoot().bootId,
    pid: process.pid,
    started: startOf(process.pid) ?? '',
  };
  return known;
}

function lives({ machine, bootId, pid, started }: ProcessName): boolean | null {
  const here = self();
  if (machine !== here.machine) return null;
  if (bootId !== here.bootId) return false;
  if (!isThere(pid)) return false;
  return started === '' || here.started === '' ? null : startOf(pid) === started;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Two containers of one machine count their processes each for itself. */
function numbering(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** In ticks since the boot; null for one that is not there, or has ended and was not waited for, and where the machine does not say it. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
    // The name of the program stands in brackets, and may hold brackets itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', started = ''] = [fields[0], fields[19]];
    return state === 'Z' || state === 'X' ? null : started;
  } catch {
    return null;
  }
}

export function machineName(): string {
  return hostname();
}

/** Null where nobody knows: a container may run as a number. */
export function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
