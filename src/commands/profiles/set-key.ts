/** `svc profiles set-key`: stores a key for a profile; its prefix says for which environment. */
import { SvcCommand, type RunOf } from '../../cli/command.js';
import { keyFlags } from '../../cli/line/flags.js';
import { mayConverse } from '../../cli/line/interaction.js';
import { joined, keyFromInput, profileArgs, withProfiles, type Said } from './profile-run.js';
import { verifyKey } from './key-trial.js';
import { askForKey } from './profile-form.js';
import { requireProfile } from '../../profile/profile-view.js';
import { readSettings, type ProfileStores } from '../../profile/settings-file.js';
import { setKey } from '../../profile/profiles.js';
import { Failure } from '../../runtime/failure.js';

export default class ProfilesSetKey extends SvcCommand {
  static override readonly summary = 'Store the key of a profile; its prefix says for which environment.';
  static override readonly description =
    'At a terminal svc asks for the key, and offers to try it with one read. Elsewhere it needs --key-stdin.';
  static override readonly examples = [
    'svc profiles set-key shop --key-stdin < key.txt',
    'svc profiles set-key shop --key-stdin --insecure-storage < key.txt',
  ];
  static override readonly heeds = ['ca-file'] as const;
  static override readonly args = profileArgs;
  static override readonly flags = keyFlags;

  async run(): Promise<void> {
    const run = await this.line(ProfilesSetKey);
    await withProfiles(run, (stores) => storeKey(run, stores));
  }
}

async function storeKey(
  { args, flags, ports }: RunOf<typeof ProfilesSetKey>,
  stores: ProfileStores,
): Promise<Said> {
  const { name } = args;
  requireProfile(readSettings(stores.paths), name);
  const asked = flags['key-stdin'] || !mayConverse(ports, flags) ? null : await askForKey(ports, flags);
  const key = asked?.key ?? (await keyFromInput(ports, flags['key-stdin']));
  if (key === null)
    throw new Failure(
      'usage',
      `Without a terminal, add --key-stdin: svc then reads the key from standard input: svc profiles set-key ${name} --key-stdin < FILE`,
    );
  const insecureStorage = flags['insecure-storage'];
  const { profile, note } = await setKey(stores, { name, key, insecureStorage });
  const verdict = asked?.isToBeVerified === true ? await verifyKey(ports, flags, name, key) : null;
  return { data: profile, note: joined(note, verdict) };
}
