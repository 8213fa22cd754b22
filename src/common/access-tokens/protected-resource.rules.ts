import type { HowToSignIn } from '../bearer-auth/challenge.js';

/** Where the metadata of a protected resource is found (RFC 9728, 3). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The metadata of an MCP endpoint (RFC 9728, 2). */
export interface ProtectedResourceMetadata {
  resource: string;
  authorization_servers: string[];
  bearer_methods_supported: string[];
  scopes_supported?: string[];
  resource_name: string;
}

export interface ProtectedResource {
  metadata: ProtectedResourceMetadata;
}

/**
 * An MCP endpoint at which the tokens of an issuer are taken.
 * @param mcpUrl ends with /mcp. Where a proxy puts a path before it, the metadata is below that path too, so that the
 * proxy need not know of it; clients are shown its address in the challenge
 */
export function protectedResource(
  mcpUrl: string,
  issuer: string,
  scopes: readonly string[],
): ProtectedResource & HowToSignIn {
  return {
    scopes,
    metadataUrl: mcpUrl.replace(/\/mcp$/, `${METADATA_PATH}/mcp`),
    metadata: {
      resource: mcpUrl,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      ...(scopes.length === 0 ? {} : { scopes_supported: [...scopes] }),
      resource_name: 'svc',
    },
  };
}
