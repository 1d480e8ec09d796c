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
