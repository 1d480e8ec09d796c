/** `svc profiles list`: every profile, with the mask of its keys. */
import { ProfileCommand, type Said } from './profile-command.js';
import type { ProfileStores } from '../../profile/profile-change.js';
import { listProfiles } from '../../profile/profile-view.js';
import { readSettings } from '../../profile/settings-file.js';

export default class ProfilesList extends ProfileCommand {
  static override readonly summary = 'List the profiles; keys are masked.';
  static override readonly examples = ['svc profiles list', "svc profiles list --jq '.profiles[].name'"];
  static override readonly args = {};
  static override readonly flags = {};

  protected override job(_line: object, { paths }: ProfileStores): Said {
    return { data: { profiles: listProfiles(readSettings(paths)) }, list: 'profiles' };
  }
}
