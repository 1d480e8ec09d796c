import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMAND, environment } from '../support/program.js';
import { makeProject, put, run, type Project } from './project.js';
import { testFolder } from '../support/test-folder.js';

const TIMES = 5;

describe('SIGUSR1', () => {
  it('opens no debugger in the program, and ends nothing', async () => {
    const home = testFolder();
    const [command, ...words] = [...COMMAND, 'sandbox', 'start', '--port', '0'];
    const child = spawn(command, words, { env: environment(home) });
    let text = '';
    const url = new Promise<string>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          text += String(chunk);
          const address = /http:\/\/127\.0\.0\.1:[0-9]+/.exec(text)?.[0];
          if (address !== undefined) resolve(address);
        });
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const address = await url;
    for (let left = TIMES; left > 0; left -= 1) {
      child.kill('SIGUSR1');
      expect((await fetch(address)).status).toBe(200);
    }
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
    expect(text).not.toMatch(/debugger/i);
  });

  it('opens none in the launcher, in what it starts, nor where that has a thread', async () => {
    const project: Project = makeProject(`
      const { Worker } = require('node:worker_threads');
      new Worker('setInterval(() => undefined, 1000)', { eval: true });
      process.stdin.on('data', (chunk) => process.stdout.write('echo ' + chunk));
      console.log('pid ' + process.pid + ' ready');`);
    const started = run(project.old);
    const [, pid = ''] = await started.shows(/pid ([0-9]+) ready/);
    for (let time = 1; time <= TIMES; time += 1) {
      started.child.kill('SIGUSR1');
      process.kill(Number(pid), 'SIGUSR1');
      started.child.stdin?.write(`${String(time)}\n`);
      await started.shows(new RegExp(`echo ${String(time)}\n`));
    }
    started.child.kill('SIGTERM');
    expect(await started.ended).toEqual({ code: null, signal: 'SIGTERM' });
    expect(started.text()).not.toMatch(/debugger/i);
  });

  it('that comes before the first line leaves none open', async () => {
    const project = makeProject(`
      const { url } = require('node:inspector');
      console.log(url() === undefined ? 'none was open' : 'one was open');
      process.stdin.on('data', () => {
        console.log(url() ?? 'none is open');
        if (url() === undefined) process.exit(0);
      });`);
    const file = join(project.folder, 'bin/run.js');
    const early = "process.kill(process.pid, 'SIGUSR1'); while (require('inspector').url() === undefined);";
    put(project.folder, 'bin/run.js', `${early}\n${readFileSync(file, 'utf8').replace(/^#!.*/, '')}`);
    const started = run([file], { env: environment(project.folder) });
    await started.shows(/one was open/);
    // On a busy machine Node closes the debugger late, so the child reports again and again until no debugger is
    // open.
    const asking = setInterval(() => started.child.stdin?.write('\n'), 20);
    onTestFinished(() => clearInterval(asking));
    // The child may end between two of these writes.
    started.child.stdin?.on('error', () => clearInterval(asking));
    await started.ended;
    expect(started.text()).toContain('none is open');
  });

  it('opens none in a child of the launcher that was not at its first line yet', async () => {
    const project = makeProject(`console.log(JSON.stringify(process.execArgv));`);
    const started = run(project.old);
    await started.ended;
    expect(started.text()).toContain('"--disable-sigusr1"');
  });
});
