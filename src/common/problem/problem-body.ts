import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The error body of the tenant API: ProblemDetails and ApiError in one (tenant-api.md 2.1; D10). Extra members are allowed. */
export class ProblemBody {
  @ApiProperty({ description: 'Stable short name of the kind of problem.', example: 'ValidationFailed' })
  type!: string;
  @ApiProperty({ description: 'The kind of problem in one line, the same for every occurrence.' })
  title!: string;
  @ApiProperty({ type: 'integer', description: 'The HTTP status.' })
  status!: number;
  @ApiPropertyOptional({ description: 'What happened here, and what to do about it.' })
  detail?: string;
  @ApiProperty({ description: 'The same as detail, or title where there is no detail.' })
  message!: string;
  @ApiProperty({ description: 'The x-request-id of this answer.' })
  request_id!: string;
  @ApiProperty({
    description: 'The type in UPPER_SNAKE_CASE, for programs that switch on codes.',
    example: 'VALIDATION_FAILED',
  })
  code!: string;
  @ApiProperty({ description: 'Whether the same request, unchanged, may succeed later.' })
  retryable!: boolean;
  @ApiPropertyOptional({ description: 'Seconds to wait before the next try; also in the retry-after header.' })
  retryAfterSec?: number;
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
