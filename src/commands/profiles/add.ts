/** `svc profiles add`: keeps an address, and a key where one is piped in, under a name. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { keyFlags, stateFlags, takes } from '../../cli/line/flags.js';
import { SvcCommand, type RunOf } from '../../cli/command.js';
import { mayConverse } from '../../cli/line/interaction.js';
import { joined, keyFromInput, stateFromInput, withProfiles, type Said } from './profile-run.js';
import { verifyKey } from './key-trial.js';
import { askForProfile, type ProfileAnswers } from './profile-form.js';
import { requireNewName } from '../../profile/profile-view.js';
import { readSettings, type ProfileStores } from '../../profile/settings-file.js';
import { addProfile } from '../../profile/profiles.js';
import { REFERENCE_MEANINGS } from '../../profile/settings.js';
import { Failure } from '../../runtime/failure.js';

export default class ProfilesAdd extends SvcCommand {
  static override readonly summary = 'Add a profile: an address and a key under a name.';
  static override readonly description =
    'The first profile becomes the active one. At a terminal, without --base-url, svc asks for the address and the key.';
  static override readonly examples = [
    'svc profiles add shop --base-url https://api.example.com --country VE --currency VES',
    'svc profiles add shop --base-url https://api.example.com --key-stdin < key.txt',
    'svc profiles add shop --base-url https://api.example.com --state-url postgres://worker@db.example.com/pay',
  ];
  static override readonly needs = ['base-url'];
  static override readonly namesGlobal = ['base-url', 'state-url'] as const;
  static override readonly heeds = ['base-url', 'insecure-loopback', 'ca-file', 'state-url'] as const;
  static override readonly args = {
    name: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  };
  static override readonly flags = {
    country: Flags.string({ summary: 'Country, where a command names none', ...takes('country') }),
    currency: Flags.string({ summary: 'Currency, where a command names none', ...takes('currency') }),
    references: Flags.string({
      summary: 'A reference names one payment (default), or is a label, such as a customer',
      options: [...REFERENCE_MEANINGS],
    }),
    ...keyFlags,
    ...stateFlags,
  };

  async run(): Promise<void> {
    const run = await this.line(ProfilesAdd);
    await withProfiles(run, (stores) => add(run, stores));
  }
}

async function add(run: RunOf<typeof ProfilesAdd>, stores: ProfileStores): Promise<Said> {
  const { args, flags, ports } = run;
  const { country = null, currency = null } = flags;
  // Before anybody types an address and a key for nothing.
  requireNewName(readSettings(stores.paths), args.name);
  const state = await stateFromInput(ports, flags);
  const asked = flags['base-url'] === undefined ? await ask(run) : null;
  const baseUrl = flags['base-url'] ?? asked?.baseUrl ?? '';
  const key = asked?.key ?? (await keyFromInput(ports, flags['key-stdin']));
  const { profile, note } = await addProfile(stores, {
    ...{ name: args.name, baseUrl, key, country, currency, state },
    references: REFERENCE_MEANINGS.find((meaning) => meaning === flags.references) ?? null,
    insecureStorage: flags['insecure-storage'],
    insecureLoopback: flags['insecure-loopback'],
  });
  if (key === null && ports.errors.isTTY)
    return { data: profile, note: joined(note, `Next: svc profiles set-key ${args.name}`) };
  if (asked?.isToBeVerified !== true || key === null) return { data: profile, note };
  const verdict = await verifyKey(ports, flags, args.name, key);
  return { data: profile, note: joined(note, verdict) };
}

/** @throws Failure `usage` where nobody can be asked */
function ask({ ports, flags }: RunOf<typeof ProfilesAdd>): Promise<ProfileAnswers> {
  if (mayConverse(ports, flags) && !flags['key-stdin'] && !flags['state-password-stdin'])
    return askForProfile(ports, flags);
  throw new Failure('usage', 'Add the address of the service: --base-url URL.');
}
