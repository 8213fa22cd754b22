import { invalid } from '../../../../common/problem/common-problems.js';
import { isPlanId } from './plans.rules.js';

/** @throws ValidationFailed for what is work of a plan file */
export function checkChangeable(id: string): void {
  if (isPlanId(id))
    throw invalid('path.id', 'is work of a plan file, which is read only here: change the check-list in that file');
}
