import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { created, ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { ReasonQuery } from '../seats.dto.js';
import { ApiKeyEnded, ApiKeyUnknown, LastApiKey } from '../seats.problems.js';
import {
  ApiKey,
  ApiKeyCreated,
  ApiKeyCreateRequest,
  ApiKeyList,
  ApiKeyListQuery,
  ApiKeyPath,
  ApiKeyRotateRequest,
} from './api-keys.dto.js';
import { ApiKeysService } from './api-keys.service.js';

@Controller()
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Route('GET /v1/org/api-keys', {
    tag: 'api keys',
    summary: 'List API keys',
    access: seats('owner'),
    reply: ok(ApiKeyList),
  })
  listApiKeys(@Caller() caller: TenantCaller, @Query() query: ApiKeyListQuery): Promise<ApiKeyList> {
    return this.keys.list(caller, query);
  }

  @Route('POST /v1/org/api-keys', {
    tag: 'api keys',
    summary: 'Create an API key',
    description:
      'A key counts as owner and is shown this once. It belongs to the tenant: it goes on working when the seat that made it is revoked.',
    access: seats('owner'),
    reply: created(ApiKeyCreated),
    secretReply: true,
  })
  createApiKey(@Caller() caller: TenantCaller, @Body() body: ApiKeyCreateRequest): Promise<ApiKeyCreated> {
    return this.keys.create(caller, body);
  }

  @Route('DELETE /v1/org/api-keys/:id', {
    tag: 'api keys',
    summary: 'Revoke an API key',
    description:
      'Every process refuses the key and its sessions within a second; also the key that this is called with. Answers the key as it is now, also when it was revoked before. ' +
      'Invitations it made that are not accepted yet end with it. The last key that works cannot be revoked while no owner seat is active (409 LastApiKey).',
    access: seats('owner'),
    reply: ok(ApiKey),
    problems: [ApiKeyUnknown, LastApiKey],
  })
  revokeApiKey(
    @Caller() caller: TenantCaller,
    @Param() { id }: ApiKeyPath,
    @Query() { reason }: ReasonQuery,
  ): Promise<ApiKey> {
    return this.keys.revoke(caller, id, reason);
  }

  @Route('POST /v1/org/api-keys/:id/rotate', {
    tag: 'api keys',
    summary: 'Rotate an API key',
    description:
      'The new key takes over the label, and the old one is revoked in the same transaction: calls that still use it are refused within a second. A key that was revoked or has ' +
      'expired is not rotated (409 ApiKeyEnded). Invitations that the old key made and that are not accepted yet end: create them again. Private facts that the daemon keeps of the old key are not seen by the new one.',
    access: seats('owner'),
    reply: created(ApiKeyCreated),
    problems: [ApiKeyUnknown, ApiKeyEnded],
    secretReply: true,
  })
  rotateApiKey(
    @Caller() caller: TenantCaller,
    @Param() { id }: ApiKeyPath,
    @Body() { expiresAt }: ApiKeyRotateRequest,
  ): Promise<ApiKeyCreated> {
    return this.keys.rotate(caller, id, expiresAt);
  }
}
