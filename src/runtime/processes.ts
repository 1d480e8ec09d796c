/** The port to this machine's processes: the machine's name, this process, and whether another process still lives. */
import { readFileSync, readlinkSync } from 'node:fs';
import { systemBoot } from './clock.js';
import { hostname, userInfo } from 'node:os';

/** Identifies a process across reboots: another process may get the same number later. */
export interface ProcessName {
  /** The machine and its process namespace (a container has its own). */
  readonly machine: string;
  /** The boot in which the process started; empty if the machine does not say it. */
  readonly bootId: string;
  readonly pid: number;
  /** Start time in ticks since the boot; empty if the machine does not say it. */
  readonly started: string;
}

export interface Processes {
  self(): ProcessName;
  /** True if the process still runs. Null if this machine can't tell: the process is on another machine, or has no start time. */
  isAlive(process: ProcessName): boolean | null;
}

let cachedSelf: ProcessName | null = null;

export const systemProcesses: Processes = { self, isAlive: lives };

function self(): ProcessName {
  cachedSelf ??= {
    machine: [machineName(), processNamespace()].join(' ').trim(),
    bootId: systemBoot().bootId,
    pid: process.pid,
    started: startTimeOf(process.pid) ?? '',
  };
  return cachedSelf;
}

function lives({ machine, bootId, pid, started }: ProcessName): boolean | null {
  const thisProcess = self();
  if (machine !== thisProcess.machine) return null;
  if (bootId !== thisProcess.bootId) return false;
  if (!pidExists(pid)) return false;
  return started === '' || thisProcess.started === '' ? null : startTimeOf(pid) === started;
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** The process namespace: each container numbers its processes from 1. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** The start time in ticks since the boot. Null for a process that is gone or a zombie, and if the machine does not say it. */
function startTimeOf(pid: number): string | null {
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

/** The name of this user; null if the user id has no name, as in many containers. */
export function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
