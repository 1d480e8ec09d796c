import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { command } from '../../command/command.js';
import { keyFlags, stateFlags, takes } from '../../command/line/flags.js';
import { REFERENCE_MEANINGS } from '../../session/settings.js';

const jobs = () => import('./add.js');

const args = {
  name: Args.string({
    description: 'Name of the profile',
    required: true,
    ignoreStdin: true,
    ...takes('profile'),
  }),
};

const settingFlags = {
  country: Flags.string({ summary: 'Country, where a command names none', ...takes('country') }),
  currency: Flags.string({ summary: 'Currency, where a command names none', ...takes('currency') }),
  references: Flags.string({
    summary: 'A reference is one payment (default), or a label',
    options: [...REFERENCE_MEANINGS],
  }),
};

const ADDRESS = { 'base-url': 'The production address, without /sandbox' };

export const PROFILES = {
  add: command({
    summary: 'Add a profile: an address and a key under a name.',
    prints: 'Profile',
    description:
      'The first profile becomes the active one. At a terminal, without --base-url, svc asks for the address and the key.',
    examples: [
      'svc profiles add shop --base-url https://api.example.com --country VE --currency VES',
      'svc profiles add shop --base-url https://api.example.com --key-stdin < key.txt',
      'svc profiles add shop --base-url https://api.example.com --state-url postgres://worker@db.example.com/pay',
    ],
    needs: ['base-url'],
    namesGlobal: ['base-url', 'state-url'],
    globalSummaries: ADDRESS,
    heeds: ['base-url', 'insecure-loopback', 'ca-file', 'state-url'],
    args: { name: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }) },
    flags: { ...settingFlags, ...keyFlags, ...stateFlags },
    run: async (run) => (await jobs()).add(run, run.args.name),
  }),

  list: command({
    summary: 'List the profiles; keys are masked.',
    prints: 'ProfileList',
    examples: ['svc profiles list', "svc profiles list --jq '.profiles[].name'"],
    heeds: [],
    run: async (run) => (await jobs()).list(run),
  }),

  remove: command({
    summary: 'Remove a profile and its keys.',
    prints: 'Profile',
    examples: ['svc profiles remove shop', 'svc profiles remove shop --yes --jq .name'],
    heeds: [],
    args,
    run: async (run) => (await jobs()).remove(run, run.args.name),
  }),

  set: command({
    summary: 'Change the address or the settings of a profile.',
    prints: 'Profile',
    examples: [
      'svc profiles set shop --base-url https://api.example.com',
      'svc profiles set shop --country VE --currency VES',
    ],
    namesGlobal: ['base-url'],
    globalSummaries: ADDRESS,
    heeds: ['base-url', 'insecure-loopback'],
    args,
    flags: settingFlags,
    run: async (run) => (await jobs()).set(run, run.args.name),
  }),

  'set-key': command({
    summary: 'Store the key of a profile; its prefix says for which environment.',
    prints: 'Profile',
    description:
      'At a terminal svc asks for the key, and offers to try it with one read. Elsewhere it needs --key-stdin.',
    examples: [
      'svc profiles set-key shop --key-stdin < key.txt',
      'svc profiles set-key shop --key-stdin --insecure-storage < key.txt',
    ],
    heeds: ['ca-file'],
    args,
    flags: keyFlags,
    run: async (run) => (await jobs()).storeKey(run, run.args.name),
  }),

  'set-state': command({
    summary: 'Set the shared-state database of a profile, or "local" for files.',
    prints: 'Profile',
    examples: [
      'svc profiles set-state shop --state-url postgres://worker@db.example.com/pay',
      'svc profiles set-state shop --state-url postgres://worker@db.example.com/pay --state-password-stdin < password.txt',
    ],
    needs: ['state-url'],
    namesGlobal: ['state-url'],
    heeds: ['state-url'],
    args,
    flags: stateFlags,
    run: async (run) => (await jobs()).setSharedState(run, run.args.name),
  }),

  show: command({
    summary: 'Show a profile, or the active one; keys are masked.',
    prints: 'Profile',
    examples: ['svc profiles show', 'svc profiles show shop --jq .base_url'],
    heeds: [],
    args: {
      name: Args.string({ description: 'Name of the profile', ignoreStdin: true, ...takes('profile') }),
    },
    run: async (run) => (await jobs()).show(run, run.args.name),
  }),

  use: command({
    summary: 'Make a profile the active one.',
    prints: 'Profile',
    examples: ['svc profiles use shop', 'svc profiles use shop --jq .name'],
    heeds: [],
    args,
    run: async (run) => (await jobs()).use(run, run.args.name),
  }),
};
