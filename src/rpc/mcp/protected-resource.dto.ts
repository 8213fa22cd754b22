import { Text, TextList } from '../../common/fields/fields.js';
import type { ProtectedResourceMetadata } from '../../common/access-tokens/protected-resource.rules.js';

/** How people sign in for the MCP endpoint (RFC 9728, 2). */
export class ProtectedResourceReply implements ProtectedResourceMetadata {
  @Text({ about: 'The MCP endpoint: what an access token is asked for (RFC 8707) and is for (aud).' })
  resource!: string;

  @TextList({ about: 'The issuers whose access tokens are taken.' })
  authorization_servers!: string[];

  @TextList({ about: 'How a token is sent.' })
  bearer_methods_supported!: string[];

  @TextList({ about: 'The scopes that a token must bear. Absent where none is asked for.', optional: true })
  scopes_supported?: string[];

  @Text({ about: 'The name of the server, for people.' })
  resource_name!: string;
}
