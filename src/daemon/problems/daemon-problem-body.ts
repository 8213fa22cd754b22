import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** Every failure of the daemon (RFC 9457; memory-daemon.md 2.1 and 7). */
export class DaemonProblem {
  @ApiProperty({ description: 'The kind of problem: `{SVCD_ERRORS_BASE}/<slug>`.', format: 'uri' })
  type!: string;
  @ApiProperty({ description: 'The kind of problem in one line, the same for every occurrence.' })
  title!: string;
  @ApiProperty({ type: 'integer', description: 'The HTTP status.' })
  status!: number;
  @ApiPropertyOptional({ description: 'What happened here, and what to do about it.' })
  detail?: string;
  @ApiPropertyOptional({ description: 'This occurrence: the request it happened to.' })
  instance?: string;
  @ApiPropertyOptional({ description: 'For programs that switch on codes.', example: 'MISSING_SCOPE' })
  code?: string;
  @ApiPropertyOptional({ description: 'The x-request-id of this answer.' })
  request_id?: string;
  @ApiPropertyOptional({ description: 'Whether the same request, unchanged, may succeed later.' })
  retryable?: boolean;
  @ApiPropertyOptional({ description: 'Scopes of an all-of check that are missing.', type: [String] })
  missingScopes?: string[];
  @ApiPropertyOptional({ description: 'Scopes any of which would have sufficed.', type: [String] })
  missingAnyScope?: string[];
  @ApiPropertyOptional({ description: 'What to send instead.' })
  hint?: string;
  @ApiPropertyOptional({
    description: 'What is wrong with the request, each with the path of the member.',
    type: 'array',
    items: {
      type: 'object',
      required: ['path', 'message'],
      properties: { path: { type: 'string' }, message: { type: 'string' } },
    },
  })
  issues?: { path: string; message: string }[];
}
