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
  static override readonly summary = 'Add a profile; the first one becomes the active one.';
  static override readonly description =
    'At a terminal, without --base-url, it asks for the address and a key, and offers to try the key with one read.';
  static override readonly examples = [
    'svc profiles add shop --base-url https://api.example.com --country VE --currency VES',
    'svc profiles add shop --base-url https://api.example.com --key-stdin < key.txt',
    'svc profiles add shop --base-url https://api.example.com --state-url postgres://worker@db.example.com/pay',
  ];
  static override readonly args = {
    name: Args.string({ description: 'Its name.', required: true, ignoreStdin: true }),
  };
  static override readonly flags = {
    country: Flags.string({ summary: 'The country of a body that names none.', ...takes('country') }),
    currency: Flags.string({ summary: 'The currency of a body that names none.', ...takes('currency') }),
    references: Flags.string({
      summary: 'What references name: payments, each paid once (the default), or labels, such as customers.',
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
  if (asked?.isToBeVerified !== true || key === null) return { data: profile, note };
  const verdict = await verifyKey(ports, flags, args.name, key);
  return { data: profile, note: joined(note, verdict) };
}

/** @throws Failure `usage` where nobody can be asked */
function ask({ ports, flags }: RunOf<typeof ProfilesAdd>): Promise<ProfileAnswers> {
  if (mayConverse(ports, flags) && !flags['key-stdin'] && !flags['state-password-stdin'])
    return askForProfile(ports, flags);
  throw new Failure('usage', 'Where is the service? Add --base-url URL.');
}
