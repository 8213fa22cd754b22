import {
  Choice,
  DateTime,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { HasMore, NextCursor, PageCount } from '../../../common/fields/page.dto.js';
import { LEFT_OUT_REASONS, SCAN_STATES, type LeftOutReason, type ScanState } from './workspace-scan.types.js';

export class ScanPath {
  @Uuid({ about: 'The scan.' })
  scanId!: string;
}

export class LeftOutFiles {
  @Choice({
    about:
      'Why. `ignored`: git ignores it; a folder counts once. `symbolic_link`: links are not followed. `no_file`: neither a file nor a folder. `name_unusable`: longer than 1,000 bytes, or not UTF-8. `too_deep`, `too_many_files`: beyond 64 folders, 200,000 files. Of files that are listed without symbols: `file_too_large` (1 MiB), `unreadable`, `not_parsed`; `too_many_symbols`: beyond 2,000 of a file or 2,000,000 in all.',
    values: LEFT_OUT_REASONS,
  })
  reason!: LeftOutReason;

  @Integer({ about: 'How many files, folders or links.', min: 1 })
  count!: number;

  @TextList({ about: 'The paths of the first five.' })
  examples!: string[];
}

export class WorkspaceScan {
  @Text({ about: 'The scan.' })
  scan_id!: string;

  @Text({ about: 'The tenant it is of.' })
  tenant_id!: string;

  @Choice({ about: '`done` and `failed` are final.', values: SCAN_STATES })
  state!: ScanState;

  @Integer({ about: 'How many files there are; null while the folders are looked through.', min: 0, nullable: true })
  files_found!: number | null;

  @Integer({ about: 'How many of them were looked at so far.', min: 0 })
  files!: number;

  @Integer({ about: 'Their bytes.', min: 0 })
  bytes!: number;

  @Integer({ about: 'The symbols found in them.', min: 0 })
  symbols!: number;

  @ListOf({ about: 'What was left out, by reason; complete once it is done.', type: () => LeftOutFiles })
  left_out!: LeftOutFiles[];

  @Text({ about: 'Why it failed; otherwise null.', nullable: true })
  problem!: string | null;

  @Text({ about: 'The principal that asked for it.' })
  created_by!: string;

  @Integer({ about: 'Counts its changes from 1.', min: 1 })
  version!: number;

  @DateTime({ about: 'When it was asked for.' })
  created_at!: string;

  @DateTime({ about: 'When it began, the last time; null before.', nullable: true })
  started_at!: string | null;

  @DateTime({ about: 'When it was done or failed; null before.', nullable: true })
  ended_at!: string | null;
}

export class ScanReply {
  @Nested({ about: 'The scan.', type: () => WorkspaceScan })
  scan!: WorkspaceScan;

  @Flag({ about: 'False where one was under way already: it is that one.' })
  started!: boolean;
}

export class ScanList {
  @ListOf({ about: 'The scans, newest first.', type: () => WorkspaceScan })
  scans!: WorkspaceScan[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}
