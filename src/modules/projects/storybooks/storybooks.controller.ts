import { Controller, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { allOf, anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { ProjectUnknown } from '../projects/projects.problems.js';
import {
  StorybookDiff,
  StorybookDiffQuery,
  StorybookGenerated,
  StorybookPath,
  StorybookQuery,
  StorybooksPath,
  StorybookShown,
  StorybookVersions,
  StorybookVersionsQuery,
} from './storybooks.dto.js';
import { StorybookUnknown } from './storybooks.problems.js';
import { StorybooksService } from './storybooks.service.js';
import type { SentStorybook } from './storybooks.types.js';
import { STORYBOOK_TYPES } from './storybooks.views.js';

const COMMON = { tag: 'storybooks', access: anyOf('admin:read') } as const;
const SHOWN = { reply: ok(StorybookShown), alsoAs: Object.values(STORYBOOK_TYPES).map((type) => type.split(';')[0]!) };
const FORMATS = 'With format, as a file: Markdown, one page of HTML, or a folder that VitePress builds unchanged.';

@Controller()
export class StorybooksController {
  constructor(private readonly storybooks: StorybooksService) {}

  @Route<StorybookShown | Uint8Array>('GET /v1/projects/:id/storybook', {
    ...COMMON,
    ...SHOWN,
    summary: 'Read the latest storybook of a project',
    description: FORMATS,
    problems: [ProjectUnknown, StorybookUnknown],
  })
  async readLatestStorybook(
    @Caller() caller: DaemonCaller,
    @Param() { id }: StorybooksPath,
    @Query() query: StorybookQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StorybookShown | Uint8Array> {
    return send(reply, await this.storybooks.read(caller, id, undefined, query));
  }

  @Route('POST /v1/projects/:id/storybook', {
    ...COMMON,
    summary: 'Generate the storybook of a project',
    description:
      'A new version: what is known of the project by its records, facts, layers, work, gates, receipts and dossiers, without a model. Every sentence names what it rests on. The same state gives the same bytes; private facts stay out.',
    access: allOf('admin:read', 'facts:write'),
    reply: ok(StorybookGenerated),
    problems: [ProjectUnknown],
  })
  generateStorybook(@Caller() caller: DaemonCaller, @Param() { id }: StorybooksPath): Promise<StorybookGenerated> {
    return this.storybooks.generate(caller, id);
  }

  @Route('GET /v1/projects/:id/storybook/versions', {
    ...COMMON,
    summary: 'List the storybooks of a project',
    reply: ok(StorybookVersions),
    problems: [ProjectUnknown],
  })
  listStorybookVersions(
    @Caller() caller: DaemonCaller,
    @Param() { id }: StorybooksPath,
    @Query() query: StorybookVersionsQuery,
  ): Promise<StorybookVersions> {
    return this.storybooks.listVersions(caller, id, query);
  }

  @Route('GET /v1/projects/:id/storybook/diff', {
    ...COMMON,
    summary: 'Compare two storybooks of a project',
    description: 'Section by section and sentence by sentence; what differs word by word.',
    reply: ok(StorybookDiff),
    problems: [ProjectUnknown, StorybookUnknown],
    tried: {
      from: {
        'query.a': 'generateStorybook#/generated_at_unix_ms',
        'query.b': 'generateStorybook#/generated_at_unix_ms',
      },
    },
  })
  diffStorybooks(
    @Caller() caller: DaemonCaller,
    @Param() { id }: StorybooksPath,
    @Query() query: StorybookDiffQuery,
  ): Promise<StorybookDiff> {
    return this.storybooks.diff(caller, id, query);
  }

  @Route<StorybookShown | Uint8Array>('GET /v1/projects/:id/storybook/:ts', {
    ...COMMON,
    ...SHOWN,
    summary: 'Read a version of a storybook',
    description: FORMATS,
    problems: [ProjectUnknown, StorybookUnknown],
    tried: { from: { ts: 'generateStorybook#/generated_at_unix_ms' } },
  })
  async readStorybook(
    @Caller() caller: DaemonCaller,
    @Param() { id, ts }: StorybookPath,
    @Query() query: StorybookQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StorybookShown | Uint8Array> {
    return send(reply, await this.storybooks.read(caller, id, ts, query));
  }
}

function send(reply: FastifyReply, shown: StorybookShown | SentStorybook): StorybookShown | Uint8Array {
  if (!('fileName' in shown)) return shown;
  const { contentType, fileName, bytes } = shown;
  void reply.header('content-type', contentType).header('content-disposition', `attachment; filename="${fileName}"`);
  return bytes;
}
