import { Module } from '@nestjs/common';
import { WorkModule } from '../../coordination/work/work.module.js';
import { GithubClient } from './github-client.service.js';
import { GithubDeliverySweep } from './github-delivery.sweep.js';
import { GithubItemsService } from './github-items.service.js';
import { GithubSecrets } from './github-secrets.js';
import { GithubWebhookController } from './github-webhook.controller.js';
import { GithubWebhookService } from './github-webhook.service.js';
import { IntegrationsController } from './integrations.controller.js';
import { IntegrationsService } from './integrations.service.js';

/**
 * Accounts of GitHub with their encrypted tokens, and the issues and pull requests that signed webhooks report, next to
 * the work that names them (memory-daemon.md 4.11; D71).
 */
@Module({
  imports: [WorkModule],
  controllers: [IntegrationsController, GithubWebhookController],
  providers: [
    ...[GithubClient, GithubSecrets, IntegrationsService],
    ...[GithubItemsService, GithubWebhookService, GithubDeliverySweep],
  ],
})
export class IntegrationsModule {}
