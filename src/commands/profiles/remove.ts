/** `svc profiles remove`: removes a profile and its keys. */
import type { Parsed } from '../../cli/command.js';
import { ProfileCommand, profileArgs, type Said } from './profile-command.js';
import type { ProfileStores } from '../../profile/profile-change.js';
import { removeProfile } from '../../profile/profiles.js';

export default class ProfilesRemove extends ProfileCommand {
  static override readonly summary = 'Remove a profile and its keys.';
  static override readonly examples = ['svc profiles remove shop', 'svc profiles remove shop --jq .name'];
  static override readonly args = profileArgs;
  static override readonly flags = {};

  protected override async job(
    { args }: Parsed<typeof ProfilesRemove>,
    stores: ProfileStores,
  ): Promise<Said> {
    return { data: await removeProfile(stores, args.name) };
  }
}
