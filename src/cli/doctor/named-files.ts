import type { Settings } from '../../common/config/settings.js';
import { checkNamedWitness } from '../../common/evidence-log/witness-key-file.js';
import { makeLog } from '../../common/observability/log.js';
import { TrustRoots } from '../../modules/governance/provenance/trust-roots.service.js';
import { modelClassesOf } from '../../modules/memory/engrams/model-classes.rules.js';
import { PlatformKeys } from '../../modules/memory/envelopes/platform-keys.service.js';
import { Prices } from '../../modules/operations/cost/prices.service.js';

/** That the daemon can use the files which settings name, and the list in SVCD_MODEL_CLASSES. @throws UserError */
export async function checkNamedFiles(settings: Settings): Promise<string> {
  const log = makeLog(settings, 'doctor', true);
  checkNamedWitness(settings);
  modelClassesOf(settings.memory.modelClasses);
  for (const One of [Prices, PlatformKeys, TrustRoots]) await new One(settings, log).onModuleInit();
  return 'what settings name can be used';
}
