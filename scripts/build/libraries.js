/** What of the libraries is not bundled, and what is changed in them. A text that is to be changed and is not there any more ends the build. */
import { readFile } from 'node:fs/promises';

/**
 * Parts of libraries that would be evaluated at every start and that nothing here reaches, by the file that asks for them:
 * each becomes an empty module. The tests run on this bundle, so what is missed after all is seen.
 * @type {[importer: RegExp, wanted: RegExp][]}
 */
const LEFT_OUT = [
  // HTTP/2, and all of node:http2, for a protocol that is never allowed here.
  [/undici\/lib\//, /\/client-h2\.js$/],
  // Looking for plugins, commands and TypeScript on the disk: our configuration discovers nothing.
  [/@oclif\/core\/lib\/config\//, /^(\.\/plugin|\.\/plugin-loader|\.\/ts-path|\.\.\/module-loader|ejs)$/],
  // Its help, its printing and its handling of errors: all three are our own.
  [
    /@oclif\/core\/lib\/(command|flags|config\/config|errors\/index|parser\/help)\.js$/,
    /^(\.\/handle|\.\/help|\.\.?\/ux)$/,
  ],
  [/@oclif\/core\/lib\/help\//, /^ejs$/],
  // Its binding to C, sockets of another runtime, and a file of passwords that nobody asked for.
  [/pg\/lib\/(index|client|stream)\.js$/, /^(\.\/native|pgpass|pg-cloudflare)$/],
  // How it would wrap and colour what it prints: it prints nothing, and without these it colours nothing in what it throws.
  [
    /@oclif\/core\/lib\/(errors\/|ux\/(theme|supports-color)\.js$)/,
    /^(ansis|clean-stack|indent-string|supports-color|wrap-ansi)$/,
  ],
];

/** @param {string} nothing the path of an empty module @returns {import('esbuild').Plugin} */
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
 * Chunks are evaluated at once, so nothing in them may wait at its top level, and what a library reads beside itself is in the pack.
 * @type {[file: RegExp, changes: [from: string | RegExp, to: string | ((...found: string[]) => string)][]][]}
 */
const PATCHES = [
  // What waits here is for a development of Ink's own.
  [
    /ink\/build\/reconciler\.js$/,
    [
      [/if \(process\.env\['DEV'\] === 'true'\) \{[\s\S]*?\n\}\n/, ''],
      ['await loadPackageJson()', '{}'],
    ],
  ],
  // The layout engine, instantiated at once from the bytes that the library carries as text.
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
      // A filter that needs more than 512 MB ends with an error of jq, before the machine has none left; results of more than 16 MB end its thread.
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
 * Modules of Node's own that a library asks for as it is loaded and hardly ever uses: each is loaded when something of it is. By the file
 * that asks; `known` is what stands in for what is looked at before that.
 * @type {[importer: RegExp, builtins: RegExp, known?: string][]}
 */
const LATE = [
  [
    /@oclif\/core\/lib\/(performance|util\/os|util\/fs|parser\/parse)\.js$/,
    /^(node:)?(perf_hooks|child_process|fs\/promises|readline)$/,
  ],
  // A body that is a message of Node's own server does not occur, and the size is what Node has where nobody says otherwise.
  [/undici\/lib\//, /^node:http$/, '{ IncomingMessage: class {}, maxHeaderSize: 16384 }'],
  // What holds is not worth loading how it is said that something does not.
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
