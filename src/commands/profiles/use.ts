/** `svc profiles use`: makes a profile the active one. */
import { SvcCommand } from '../../cli/command.js';
import { profileArgs, withProfiles } from './profile-run.js';
import { useProfile } from '../../profile/profiles.js';

export default class ProfilesUse extends SvcCommand {
  static override readonly summary = 'Make a profile the active one.';
  static override readonly examples = ['svc profiles use shop', 'svc profiles use shop --jq .name'];
  static override readonly heeds = [] as const;
  static override readonly args = profileArgs;
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(ProfilesUse);
    await withProfiles(run, async (stores) => {
      const { profile, note } = await useProfile(stores, run.args.name);
      return { data: profile, note };
    });
  }
}
