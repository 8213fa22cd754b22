import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { listNamed } from '../../common/config/doubts.js';
import type { Settings } from '../../common/config/settings.js';
import { checkNamedWitness } from '../../common/evidence-log/witness-key-file.js';
import { makeLog } from '../../common/observability/log.js';
import { TrustRoots } from '../../modules/governance/provenance/trust-roots.service.js';
import { UserError } from '../../common/user-error.js';
import { modelClassesOf } from '../../modules/memory/engrams/model-classes.rules.js';
import { PlatformKeys } from '../../modules/memory/envelopes/platform-keys.service.js';
import { Prices } from '../../modules/operations/cost/prices.service.js';

/** That the daemon can use the files which settings name, and the list in SVCD_MODEL_CLASSES. @throws UserError */
export async function checkNamedFiles(settings: Settings): Promise<string> {
  for (const named of listNamed()) await checkIsThere(named);
  const log = makeLog(settings, 'doctor', true);
  checkNamedWitness(settings);
  modelClassesOf(settings.memory.modelClasses);
  for (const One of [Prices, PlatformKeys, TrustRoots]) await new One(settings, log).onModuleInit();
  return 'what settings name can be used';
}

async function checkIsThere({ env, path, kind }: ReturnType<typeof listNamed>[number]): Promise<void> {
  const found = await stat(path).catch((error: Error) => error);
  if (found instanceof Error) throw new UserError(`${env}: ${found.message}`);
  if (found.isDirectory() !== (kind === 'folder')) throw new UserError(`${env}: ${path} is no ${kind}`);
  await access(path, constants.R_OK).catch((error: Error) => {
    throw new UserError(`${env}: ${error.message}`);
  });
}
