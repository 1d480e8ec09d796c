/** A text that no longer occurs in its library ends the build. */
import { readFile } from 'node:fs/promises';

/**
 * The program never uses these parts. They become empty modules, so that a start does not evaluate them.
 * @type {[importer: RegExp, wanted: RegExp][]}
 */
const LEFT_OUT = [
  // HTTP/2 is never allowed here.
  [/undici\/lib\//, /\/client-h2\.js$/],
  // Our configuration of oclif discovers no plugins, commands or TypeScript.
  [/@oclif\/core\/lib\/config\//, /^(\.\/plugin|\.\/plugin-loader|\.\/ts-path|\.\.\/module-loader|ejs)$/],
  // svc has its own help, printing and error handling.
  [
    /@oclif\/core\/lib\/(command|flags|config\/config|errors\/index|parser\/help)\.js$/,
    /^(\.\/handle|\.\/help|\.\.?\/ux)$/,
  ],
  [/@oclif\/core\/lib\/help\//, /^ejs$/],
  [/pg\/lib\/(index|client|stream)\.js$/, /^(\.\/native|pgpass|pg-cloudflare)$/],
  [
    /@oclif\/core\/lib\/(errors\/|ux\/(theme|supports-color)\.js$)/,
    /^(ansis|clean-stack|indent-string|supports-color|wrap-ansi)$/,
  ],
];

/** @param {string} nothing @returns {import('esbuild').Plugin} */
export function leaveOut(nothing) {
  return {
    name: 'leave-out',
    setup: (build) => {
      for (const [importer, filter] of LEFT_OUT)
        build.onResolve({ filter }, (args) => (importer.test(args.importer) ? { path: nothing } : undefined));
    },
  };
}

/**
 * Chunks run synchronously, so nothing in a chunk may await at the top level.
 * @type {[file: RegExp, changes: [from: string | RegExp, to: string | ((...found: string[]) => string)][]][]}
 */
const PATCHES = [
  [
    /ink\/build\/reconciler\.js$/,
    [
      [/if \(process\.env\['DEV'\] === 'true'\) \{[\s\S]*?\n\}\n/, ''],
      ['await loadPackageJson()', '{}'],
    ],
  ],
  [
    /yoga-layout\/dist\/src\/index\.js$/,
    [
      [
        'const Yoga = wrapAssembly(await loadYoga());',
        `const lib = {
          instantiateWasm(imports, done) {
            const module = new WebAssembly.Module(Buffer.from(loadYoga.wasm, 'base64'));
            const instance = new WebAssembly.Instance(module, imports);
            done(instance, module);
            return instance.exports;
          },
        };
        loadYoga(lib);
        const Yoga = wrapAssembly(lib);`,
      ],
    ],
  ],
  [
    /yoga-layout\/dist\/binaries\/yoga-wasm-base64-esm\.js$/,
    [
      [
        /(data:application\/octet-stream;base64,)([A-Za-z0-9+/=]+)([^]*)export default loadYoga;/,
        (_all, prefix, wasm, rest) =>
          `${prefix}${rest}loadYoga.wasm = ${JSON.stringify(wasm)};\nexport default loadYoga;`,
      ],
    ],
  ],
  [
    /jq-web\/jq\.js$/,
    [
      [
        'async function(moduleArg = {}) {',
        'async function(moduleArg = { wasmBinary: __svc.asset("jq.wasm") }) {',
      ],
      // A filter that needs more than 512 MB ends with an error of jq. A result of more than 16 MB ends its thread.
      ['      2147483648;', '      536870912;'],
      ['if (c) outBuffer.push(c)', 'if (c && outBuffer.push(c) > 16777216) process.exit(1)'],
    ],
  ],
];

/** @returns {import('esbuild').Plugin} */
export function patch() {
  return {
    name: 'patch',
    setup: (build) => {
      for (const [filter, changes] of PATCHES)
        build.onLoad({ filter }, async ({ path }) => {
          let contents = await readFile(path, 'utf8');
          for (const [from, to] of changes) {
            const changed = contents.replace(from, /** @type {any} */ (to));
            if (changed === contents)
              throw new Error(`${path} has no ${String(from)} any more: look at it again`);
            contents = changed;
          }
          return { contents, loader: 'js' };
        });
    },
  };
}

/**
 * These built-in modules are loaded at their first use, not together with the library.
 * @type {[importer: RegExp, builtins: RegExp, known?: string][]}
 */
const LATE = [
  [
    /@oclif\/core\/lib\/(performance|util\/os|util\/fs|parser\/parse)\.js$/,
    /^(node:)?(perf_hooks|child_process|fs\/promises|readline)$/,
  ],
  [/undici\/lib\//, /^node:http$/, '{ IncomingMessage: class {}, maxHeaderSize: 16384 }'],
  [/undici\/lib\//, /^node:assert$/, '(holds, message) => holds ? undefined : load().ok(holds, message)'],
];

/** @returns {import('esbuild').Plugin} */
export function loadLate() {
  const namespace = 'late';
  return {
    name: 'load-late',
    setup: (build) => {
      build.onResolve({ filter: /./ }, ({ path, importer, namespace: from }) => {
        if (from === namespace) return { path, external: true };
        const late = LATE.find(([files, builtins]) => files.test(importer) && builtins.test(path));
        return late && { path, namespace, pluginData: late[2] ?? '{}' };
      });
      build.onLoad({ filter: /./, namespace }, ({ path, pluginData }) => ({
        loader: 'js',
        contents: `
          let module_;
          const load = () => (module_ ??= require(${JSON.stringify(path)}));
          const known = ${String(pluginData)};
          module.exports = new Proxy(known, { get: (_, name) => (Object.hasOwn(known, name) ? known[name] : load()[name]) });`,
      }));
    },
  };
}
