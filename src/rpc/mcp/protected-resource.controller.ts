import { Controller } from '@nestjs/common';
import { AccessTokens } from '../../common/access-tokens/access-tokens.js';
import { anyone, ok } from '../../common/contract/contract.js';
import { Route } from '../../common/contract/route.decorator.js';
import { NotFound } from '../../common/problem/common-problems.js';
import { ProtectedResourceReply } from './protected-resource.dto.js';

const METADATA = {
  tag: 'tools',
  summary: 'Read how people sign in for MCP',
  description:
    'The metadata of the MCP endpoint as a protected resource (RFC 9728), at the address without and with its path. 404 where SVC_OIDC_ISSUER is not set. See docs/mcp-clients.md.',
  access: anyone(),
  reply: ok(ProtectedResourceReply),
  problems: [NotFound],
};

/** What a client of the Model Context Protocol looks for to have its user sign in. */
@Controller()
export class ProtectedResourceController {
  constructor(private readonly tokens: AccessTokens) {}

  @Route('GET /.well-known/oauth-protected-resource', METADATA)
  async readProtectedResourceAtRoot(): Promise<ProtectedResourceReply> {
    return this.tokens.readMetadata();
  }

  @Route('GET /.well-known/oauth-protected-resource/mcp', METADATA)
  async readProtectedResource(): Promise<ProtectedResourceReply> {
    return this.tokens.readMetadata();
  }
}
