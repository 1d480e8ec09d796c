/** `svc profiles list`: every profile, with the mask of its keys. */
import { SvcCommand } from '../../cli/command.js';
import { withProfiles } from './profile-run.js';
import { listProfiles } from '../../profile/profile-view.js';
import { readSettings } from '../../profile/settings-file.js';

export default class ProfilesList extends SvcCommand {
  static override readonly summary = 'List the profiles; keys are masked.';
  static override readonly examples = ['svc profiles list', "svc profiles list --jq '.profiles[].name'"];
  static override readonly heeds = [] as const;
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(ProfilesList);
    await withProfiles(run, ({ paths }) => ({
      data: { profiles: listProfiles(readSettings(paths)) },
      list: 'profiles',
    }));
  }
}
