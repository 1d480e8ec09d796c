/** `svc profiles use`: makes a profile the active one. */
import type { Parsed } from '../../cli/command.js';
import { ProfileCommand, profileArgs, type Said } from './profile-command.js';
import type { ProfileStores } from '../../profile/profile-change.js';
import { useProfile } from '../../profile/profiles.js';

export default class ProfilesUse extends ProfileCommand {
  static override readonly summary = 'Make a profile the active one.';
  static override readonly examples = ['svc profiles use shop', 'svc profiles use shop --jq .name'];
  static override readonly args = profileArgs;
  static override readonly flags = {};

  protected override async job({ args }: Parsed<typeof ProfilesUse>, stores: ProfileStores): Promise<Said> {
    const { profile, note } = await useProfile(stores, args.name);
    return { data: profile, note };
  }
}
