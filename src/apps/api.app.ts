import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { withPaymentSecret } from '../common/database/bootstrap.js';
import type { ProcessContext } from '../common/process-context.js';
import { API_MODULES } from './api-modules.js';
import { apiOptions } from './api-options.js';
import { CoreModule } from './core.module.js';
import { EvidenceModule } from '../common/evidence-log/evidence-log.module.js';
import { makeHttpServer } from '../common/http/http-server.js';
import { OwnHosts } from '../common/http/own-hosts.js';
import { HoldRefusalsModule } from '../common/legal-holds/hold-refusals.module.js';
import { showBuild } from '../common/observability/build-metric.js';
import { listen, makeHttpApp, type RunningApp } from './http-app.js';

/** The tenant API: which modules it imports, nothing else. */
@Module({})
class ApiModule {
  static of(parts: ProcessContext): DynamicModule {
    const imports = [CoreModule.of(parts, apiOptions(parts)), EvidenceModule, HoldRefusalsModule, ...API_MODULES];
    return { module: ApiModule, imports };
  }
}

/** Opens the tenant API on the address of the settings. */
export async function openApi(context: ProcessContext): Promise<RunningApp> {
  const settings = await withPaymentSecret(context.settings);
  const parts = { ...context, settings };
  const { stopping } = parts;
  showBuild(parts.metrics, 'api');
  const ownHosts = new OwnHosts(settings, { host: settings.api.host, publicUrl: settings.process.publicUrl });
  const server = makeHttpServer({ ...settings.api, ownHosts, stopping }, parts);
  const app = await makeHttpApp(ApiModule.of(parts), server, parts);
  return listen(app, settings.api);
}
