/** The house rules that a linter can see; the others (floors, owners, file sizes, names) are tests in test/house. */
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** What only `src/runtime` may touch, so that a test can replay any run. */
const PORTS = 'belongs to src/runtime: take it as a parameter (clock, random, terminal, paths)';

const portGlobals = [
  'process',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
].map((name) => ({ name, message: `${name} ${PORTS}.` }));

const portImports = {
  paths: [
    ...['process', 'node:process', 'timers', 'node:timers', 'timers/promises', 'node:timers/promises'].map(
      (name) => ({ name, message: `${name} ${PORTS}.` }),
    ),
    {
      name: 'node:crypto',
      importNames: ['randomBytes', 'randomUUID', 'randomInt', 'randomFillSync', 'getRandomValues'],
      message: `Randomness ${PORTS}.`,
    },
  ],
};

const portSyntax = [
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: `Date.now ${PORTS}.`,
  },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: `new Date() ${PORTS}.` },
  { selector: "CallExpression[callee.name='Date']", message: `Date() ${PORTS}.` },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: `Math.random ${PORTS}.`,
  },
  {
    selector:
      "MemberExpression[object.name='globalThis'][property.name=/^(process|performance|set(Timeout|Interval|Immediate))$/]",
    message: `This global ${PORTS}.`,
  },
];

const styleSyntax = [
  {
    selector: 'ExportDefaultDeclaration > ObjectExpression',
    message: 'Export names, not a default object.',
  },
  { selector: 'ExportAllDeclaration', message: 'No file only re-exports: import from where it is defined.' },
];

const nodeGlobals = Object.fromEntries(
  [
    'process',
    'performance',
    'Buffer',
    'URL',
    'setTimeout',
    'setImmediate',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'AbortController',
    'crypto',
  ].map((name) => [name, 'readonly']),
);

export default defineConfig(
  // An example is what a reader makes of it: it has dependencies of its own, and test/examples runs it. So is a program that an exam is tried on.
  { ignores: ['dist/', 'coverage/', 'docs/', 'examples/', 'test/certify/controls/clients/'] },
  js.configs.recommended,
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,tsx,js}'],
    ignores: ['bin/**'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'no-self-compare': 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...styleSyntax],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      // A command is a class with static members.
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // A library whose export is a promise can't be imported: its module would be thenable.
      '@typescript-eslint/no-require-imports': ['error', { allowAsImport: true }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    // What runs in a browser has that browser's clock and timers.
    ignores: ['src/runtime/**', 'src/sandbox/page/**', 'src/reconcile/report/page/**'],
    rules: {
      'no-restricted-globals': ['error', ...portGlobals],
      'no-restricted-imports': ['error', portImports],
      'no-restricted-syntax': ['error', ...styleSyntax, ...portSyntax],
    },
  },
  {
    // Tests reach into unparsed answers and half-built values on purpose.
    files: ['test/**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // What runs on the developer's machine: the program's output is the console, and JSON is taken at its word.
    files: ['scripts/**/*.js', 'eslint.config.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { ...nodeGlobals, console: 'readonly', fetch: 'readonly' } },
    rules: { 'no-console': 'off' },
  },
  {
    files: ['bin/**/*.js', '**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { ...nodeGlobals, __dirname: 'readonly', __filename: 'readonly' },
    },
  },
  {
    // The launcher's first file is read by every Node there is: plain old JavaScript.
    files: ['bin/run.js'],
    languageOptions: { ecmaVersion: 5 },
  },
  {
    // What hands over to another Node is read by Node 12 still.
    files: ['bin/launcher.js'],
    languageOptions: { ecmaVersion: 2019 },
  },
);
