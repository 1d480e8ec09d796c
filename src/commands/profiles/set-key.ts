/** `svc profiles set-key`: stores a key for a profile; its prefix says for which environment. */
import * as Args from '@oclif/core/args';
import type { Parsed } from '../../command/base.js';
import { keyFlags } from '../../command/line/flags.js';
import { ProfileCommand, type Said } from '../../command/profile/profile-command.js';
import type { ProfileStores } from '../../profile/profile-change.js';
import { setKey } from '../../profile/profiles.js';
import { Failure } from '../../runtime/failure.js';

export default class ProfilesSetKey extends ProfileCommand {
  static override readonly summary = "Store a profile's key; its prefix says for which environment.";
  static override readonly examples = [
    'svc profiles set-key shop --key-stdin < key.txt',
    'svc profiles set-key shop --key-stdin --insecure-storage < key.txt',
  ];
  static override readonly args = {
    name: Args.string({ description: 'The profile.', required: true, ignoreStdin: true }),
  };
  static override readonly flags = keyFlags;

  protected override async job(
    { args, flags }: Parsed<typeof ProfilesSetKey>,
    stores: ProfileStores,
  ): Promise<Said> {
    const key = await this.keyFromInput(flags['key-stdin']);
    if (key === null) throw new Failure('usage', 'Pipe the key in and add --key-stdin: no flag takes a key.');
    const insecureStorage = flags['insecure-storage'];
    const { profile, note } = await setKey(stores, { name: args.name, key, insecureStorage });
    return { data: profile, note };
  }
}
