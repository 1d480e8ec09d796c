import { spawn as spawnTerminal } from '@lydell/node-pty';
import { build } from 'esbuild';
import { chmodSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { functionsOf, packed } from '../../scripts/build/pack.js';
import { makeProject, put, run, RUNTIME, type Project, written } from './project.js';

const SIGNALS =
  "for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => console.log('got ' + name));";
const WAITS = "setInterval(() => undefined, 1000); console.log('pid ' + process.pid + ' ready');";

let project: Project;

describe('on a Node that is too old', () => {
  it('passes arguments, standard input and the exit code', async () => {
    project = makeProject(`
      for await (const chunk of process.stdin) process.stdout.write(chunk);
      console.log(JSON.stringify(process.argv.slice(2)));
      process.exitCode = 12;`);
    const { child, ended, text } = run([...project.old, 'a b', '', '--x="y"', '-']);
    child.stdin?.end('in\n');
    expect(await ended).toEqual({ code: 12, signal: null });
    expect(text()).toBe('in\n["a b","","--x=\\"y\\"","-"]\n');
  });

  it.each(['*', 'child_process'])('shows no key under NODE_DEBUG=%s', async (debug) => {
    project = makeProject(
      "console.log('ready'); console.error(`a key of ${process.env.SVC_API_KEY.length}`);",
    );
    const env = { ...process.env, NODE_DEBUG: debug, SVC_API_KEY: 'svc_test_CANARYcanary0123456789' };
    const text = await written(project.old, { env });
    expect(text).toContain('ready');
    expect(text).toContain('a key of 31');
    expect(text).not.toContain('CANARY');
  });

  it.each(['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP'] as const)(
    'ends by %s as the child does',
    async (name) => {
      project = makeProject(`${WAITS} process.kill(process.pid, '${name}');`);
      expect(await run(project.old).ended).toEqual({ code: null, signal: name });
    },
  );

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('passes %s on, once', async (name) => {
    project = makeProject(`process.on('${name}', () => {
      console.log('got it');
      setTimeout(() => process.exit(130), 300);
    });
    ${WAITS}`);
    const started = run(project.old);
    await started.shows(/ready/);
    started.child.kill(name);
    expect(await started.ended).toEqual({ code: 130, signal: null });
    expect(started.text().match(/got it/g)).toHaveLength(1);
  });

  it('lets a signal end a child that does not listen', async () => {
    project = makeProject(WAITS);
    const started = run(project.old);
    await started.shows(/ready/);
    started.child.kill('SIGINT');
    expect(await started.ended).toEqual({ code: null, signal: 'SIGINT' });
  });

  it('delivers a Ctrl-C of the terminal once, though both processes receive it', async () => {
    project = makeProject(`${SIGNALS}
      process.on('SIGINT', () => setTimeout(() => { console.log('done'); process.exit(130); }, 500));
      ${WAITS}`);
    const terminal = spawnTerminal(process.execPath, [...project.old], {});
    let text = '';
    const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
    terminal.onData((data) => {
      if (!text.includes('ready') && (text + data).includes('ready')) terminal.write('\x03');
      text += data;
    });
    expect(await ended).toBe(130);
    expect(text.match(/got SIGINT/g)).toHaveLength(1);
    expect(text).toContain('done');
  });

  it('ends the child at once when the launcher is killed, whatever it would do on a signal', async () => {
    const names = "['SIGTERM', 'SIGINT', 'SIGHUP', 'exit']";
    project =
      makeProject(`${WAITS} for (const name of ${names}) process.on(name, () => console.log('goes on'));
      setInterval(() => console.log('draws'), 5);`);
    const started = run(project.old);
    await started.shows(/ready[^]*draws/);
    started.child.kill('SIGKILL');
    // `ended` resolves only when the last process that has the streams open is gone.
    expect(await started.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(started.text()).not.toContain('goes on');
  });

  it('gives the terminal back as it was when the launcher is killed', async () => {
    project = makeProject(`${WAITS} process.stdin.setRawMode(true); process.stdout.write('\\x1b[?25l');
      process.on('SIGTERM', () => undefined); console.log('launcher ' + process.ppid + ' is up');`);
    const command = [process.execPath, ...project.old].map((word) => `'${word}'`).join(' ');
    const cooked = "until stty -a | grep -q ' icanon.* echo '; do sleep 0.05; done; echo re''stored";
    const terminal = spawnTerminal('sh', ['-c', `${command}; ${cooked}`], {});
    let text = '';
    const ended = new Promise((resolve) => terminal.onExit(resolve));
    const up = new Promise<number>((resolve) => {
      terminal.onData((data) => {
        text += data;
        const id = /launcher ([0-9]+) is up/.exec(text)?.[1];
        if (id !== undefined) resolve(Number(id));
      });
    });
    process.kill(await up, 'SIGKILL');
    await ended;
    expect(text).toContain('restored');
    expect(text.slice(text.indexOf('is up'))).toContain('\x1b[?25h');
  });

  it('lets the child end by itself, and gives its own children no channel', async () => {
    project = makeProject(`
      const { spawnSync } = require('node:child_process');
      const seen = spawnSync(process.execPath, ['-p', 'JSON.stringify([process.connected, process.env])'], { encoding: 'utf8' });
      console.log(seen.stdout);`);
    const [connected, env] = JSON.parse(await written(project.old)) as [
      boolean | null,
      Record<string, string>,
    ];
    expect(connected ?? false).toBe(false);
    expect(Object.keys(env).filter((name) => /^NODE_CHANNEL|^SVC_LAUNCHER/.test(name))).toEqual([]);
  });

  it('says so in one line where there is no other runtime', async () => {
    project = makeProject('', { hasRuntime: false });
    expect(await written(project.old, {}, 1)).toMatch(
      /^svc needs Node 22\.20 or newer, and this is 20\.20\.2 \(.+\)\. Install a newer Node, .+\n$/,
    );
  });

  it('says so where the other runtime does not start', async () => {
    project = makeProject('');
    chmodSync(`${project.folder}/${RUNTIME}`, 0o644);
    const text = await written(project.old, {}, 1);
    expect(text).toMatch(/^svc needs Node 22\.20 or newer, .+ does not start: EACCES\. .+\n$/);
  });
});

describe('on a Node that is new enough', () => {
  const start = (code: number, env: NodeJS.ProcessEnv = {}): Promise<string> =>
    written([`${project.folder}/bin/run.js`], { env: { ...process.env, ...env } }, code);

  it('hides DEBUG from everything that loads', async () => {
    project = makeProject("console.log('DEBUG' in process.env);");
    expect(await start(0, { DEBUG: '*' })).toBe('false\n');
  });

  it('says what to do where nothing is built', async () => {
    project = makeProject('');
    rmSync(`${project.folder}/dist`, { recursive: true });
    expect(await start(1)).toBe('svc is not built yet: run `npm run build`.\n');
  });

  it('prints a stack that points into src/', async () => {
    project = makeProject('');
    const source = put(
      project.folder,
      'src/main.ts',
      '\n\nexport async function start(): Promise<void> {\n  throw new TypeError("boom");\n}\n',
    );
    const { outputFiles } = await build({
      ...{ entryPoints: [source], outfile: `${project.folder}/dist/main.js`, format: 'esm', minify: true },
      ...{ sourcemap: 'external', write: false },
    });
    const [map, code] = outputFiles.map(({ text }) => text) as [string, string];
    const { pack, maps } = packed(await functionsOf(new Map([['main.js', { code, map }]])), []);
    put(project.folder, 'dist/svc.pack', pack);
    put(project.folder, 'dist/svc.maps', maps);
    const text = await start(1);
    expect(text).toMatch(/^TypeError: boom\n/);
    expect(text).toContain('src/main.ts:4:9');
  });
});

it('prints nothing of what passes through under NODE_DEBUG', async () => {
  project = makeProject(`
    for await (const chunk of process.stdin) process.stdout.write('read ' + chunk.length);
    process.stderr.write('a note\\n');
    require('node:child_process').spawnSync('true', ['svc_test_CANARY']);`);
  const { child, ended, text } = run([`${project.folder}/bin/run.js`], {
    env: { ...process.env, NODE_DEBUG: '*' },
  });
  child.stdin?.end('svc_test_CANARY');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(text()).toContain('read 15');
  expect(text()).toContain('a note');
  expect(text()).not.toContain('CANARY');
  expect(text()).not.toContain('<Buffer 73 76 63');
});
