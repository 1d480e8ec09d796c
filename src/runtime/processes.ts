import { readFileSync, readlinkSync } from 'node:fs';
import { systemBoot } from './clock.js';
import { hostname, userInfo } from 'node:os';

/** The pid alone is not enough, because another process may get the same number later. */
export interface ProcessName {
  readonly machine: string;
  readonly bootId: string;
  readonly pid: number;
  readonly started: string;
}

export interface Processes {
  self(): ProcessName;
  isAlive(process: ProcessName): boolean | null;
}

let cachedSelf: ProcessName | null = null;

export const systemProcesses: Processes = { self, isAlive };

function self(): ProcessName {
  cachedSelf ??= {
    machine: [machineName(), processNamespace()].join(' ').trim(),
    bootId: systemBoot().bootId,
    pid: process.pid,
    started: startTimeOf(process.pid) ?? '',
  };
  return cachedSelf;
}

function isAlive({ machine, bootId, pid, started }: ProcessName): boolean | null {
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

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function startTimeOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
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

export function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
