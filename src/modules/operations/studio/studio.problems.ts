import { problem } from '../../../common/problem/problem.js';
import type { StudioItemType } from './studio.types.js';

export class PackageUnknown extends problem<{ package_id: string }>(
  404,
  'PackageUnknown',
  'There is no such package',
) {}

export class PackageChanged extends problem<{ package_id: string; digest: string }>(
  409,
  'PackageChanged',
  'The package has another digest',
) {}

export class InstallConflict extends problem<{
  package_id: string;
  conflicts: { type: StudioItemType; name: string }[];
}>(409, 'InstallConflict', 'The tenant has other content under names of the package') {}
