import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../scripts/build/bundle.js';
import { generate } from '../../scripts/docs/generate.js';
import { VERSION } from '../../src/runtime/version.js';
import { ROOT } from './source.js';
import { testFolder } from '../support/test-folder.js';

interface Package {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: string;
  readonly cpu?: string;
  readonly hasInstallScript?: boolean;
}

const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const pkg = read('package.json') as Package;
const runtime = read('scripts/runtime/package.json') as Package & { readonly private: boolean };
const RUNTIME = '@svc-cli/runtime';
const lock = read('package-lock.json') as {
  readonly version: string;
  readonly packages: Readonly<Record<string, Locked>>;
};
const RUNS =
  /^(bin\/run\.js|bin\/package\.json|dist\/((begin|thread)\.cjs|svc\.(pack|cache|maps|help)|jq\.wasm|page\.(html|js|css)|report\.(js|css)|testing\.(c?js|d\.c?ts)|LICENSES\.txt)|oclif\.manifest\.json)$/;
const TELLS = ['CHANGELOG.md', 'LICENSE', 'README.md', 'docs/sandbox-state.schema.json', 'package.json'];
const MAY_BE_MISSING = ['@napi-rs/keyring', 'typescript', 'ts-node', 'pnpapi'];

let files: readonly string[] | null = null;
const packed = (): readonly string[] => (files ??= pack());

function pack(): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  const [tarball] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  return tarball.files.map(({ path }) => path);
}

describe('the package', () => {
  it('contains what runs, what tells about it, and nothing else', () => {
    expect(
      packed()
        .filter((path) => !RUNS.test(path))
        .sort(),
    ).toEqual(TELLS);
    expect(packed()).toEqual(
      expect.arrayContaining([
        ...['bin/run.js', 'dist/svc.pack', 'dist/svc.cache', 'dist/jq.wasm', 'oclif.manifest.json'],
      ]),
    );
  });

  it('runs in an empty folder, with no library beside it', () => {
    const folder = testFolder();
    for (const path of packed()) cpSync(join(ROOT, path), join(folder, path));
    const svc = (...args: string[]) =>
      spawnSync(process.execPath, [join(folder, 'bin/run.js'), ...args], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: folder },
      });
    expect(svc('--version')).toMatchObject({
      ...{ status: 0, stderr: '', stdout: expect.stringContaining(VERSION) as string },
    });
    expect(svc('payins', 'create', '--help')).toMatchObject({ status: 0, stderr: '' });
    expect(svc('capabilities', '--jq', '.countries | length')).toMatchObject({ status: 0 });
  });

  it('imports nothing that is not built in or bundled', async () => {
    const { chunks, metafile } = await bundle(ROOT);
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external === true).map(({ path }) => path),
    );
    const required = [...chunks.values()].flatMap(({ code }) =>
      [...code.matchAll(/__require\("([^"]+)"\)/g)].map(([, name]) => name),
    );
    const needed = [...imported, ...required];
    expect(needed).toContain('node:fs');
    const foreign = new Set(
      needed.filter(
        (name) =>
          !builtinModules.includes(
            String(name)
              .replace(/^node:/, '')
              .split('/')[0]!,
          ),
      ),
    );
    expect(
      [...foreign].filter((name) => !name!.startsWith('node:') && !MAY_BE_MISSING.includes(name!)),
    ).toEqual([]);
  });

  it('can be started by its name', () => expect(statSync(join(ROOT, 'bin/run.js')).mode & 0o111).toBe(0o111));
});

describe('package.json', () => {
  it('has one version, everywhere', () => {
    expect([VERSION, lock.version]).toEqual([pkg.version, pkg.version]);
  });

  it('pins every dependency exactly', () => {
    const { [RUNTIME]: folder, ...libraries } = pkg.devDependencies;
    expect(folder).toBe('file:scripts/runtime');
    const versions = Object.entries({
      ...pkg.optionalDependencies,
      ...libraries,
      ...runtime.optionalDependencies,
    });
    expect(
      versions.filter(([, version]) => !/^(npm:[a-z]+@)?\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version)),
    ).toEqual([]);
    expect(pkg.devDependencies['@vitest/coverage-v8']).toBe(pkg.devDependencies['vitest']);
  });

  it('has no dependency that an installation must bring: what runs is bundled', () => {
    expect(pkg.dependencies).toBeUndefined();
    expect(Object.keys(pkg.optionalDependencies)).toEqual(['@napi-rs/keyring']);
  });

  it('names the Node that the launcher asks for', () => {
    const launcher = readFileSync(join(ROOT, 'bin/run.js'), 'utf8');
    const [, major, minor] = /MAJOR = (\d+);\s+var MINOR = (\d+);/.exec(launcher) ?? [];
    expect(pkg.engines.node).toBe(`>=${String(major)}.${String(minor)}`);
  });
});

describe('what npm ci installs', () => {
  it('is held by a checksum in the lockfile, or is a folder of this one', () => {
    const { '': _root, 'scripts/runtime': _folder, ...others } = lock.packages;
    const isHeld = ({ integrity }: Locked): boolean => integrity?.startsWith('sha512-') ?? false;
    expect(Object.entries(others).filter(([, entry]) => !isHeld(entry))).toEqual([
      [`node_modules/${RUNTIME}`, expect.objectContaining({ resolved: 'scripts/runtime' })],
    ]);
  });

  it('runs no script of a library', () => {
    const withScript = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(pkg.allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
  });

  it('has a Node for each platform, for development alone', () => {
    expect(runtime.private).toBe(true);
    const locked = Object.entries(runtime.optionalDependencies).map(([name, version]) => {
      const entry = lock.packages[`node_modules/${name}`];
      expect(entry).toMatchObject({ version, dev: true, optional: true });
      return `${String(entry?.os)}-${String(entry?.cpu)}`;
    });
    expect(locked.sort()).toEqual(['darwin-arm64', 'linux-arm64', 'linux-x64']);
  });
});

it('what is generated is what the commands say: otherwise run `npm run docs`', async () => {
  const files = await generate(ROOT);
  const pages = readdirSync(join(ROOT, 'docs/reference')).map((name) => `docs/reference/${name}`);
  expect(['oclif.manifest.json', 'docs/sandbox-state.schema.json', ...pages].sort()).toEqual(
    [...files.keys()].sort(),
  );
  for (const [path, text] of files) expect(readFileSync(join(ROOT, path), 'utf8'), path).toBe(text);
});
