/** `svc profiles remove`: removes a profile and its keys. */
import { SvcCommand } from '../../cli/command.js';
import { profileArgs, withProfiles } from './profile-run.js';
import { removeProfile } from '../../profile/profiles.js';

export default class ProfilesRemove extends SvcCommand {
  static override readonly summary = 'Remove a profile and its keys.';
  static override readonly examples = ['svc profiles remove shop', 'svc profiles remove shop --jq .name'];
  static override readonly heeds = [] as const;
  static override readonly args = profileArgs;
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(ProfilesRemove);
    await withProfiles(run, async (stores) => ({
      data: await removeProfile(stores, run.args.name),
      note: `Removed profile ${run.args.name} and its keys from this machine.`,
    }));
  }
}
