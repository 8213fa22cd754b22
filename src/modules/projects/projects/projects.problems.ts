import { problem } from '../../../common/problem/problem.js';

export class ProjectUnknown extends problem<{ project_id: string }>(
  404,
  'ProjectUnknown',
  'There is no such project',
) {}

export class PlaneUnknown extends problem<{ project_id: string; plane_id: string }>(
  404,
  'PlaneUnknown',
  'The project has no such plane',
) {}

/** Of a name that the registry of passports does not have. */
export class PassportUnknown extends problem<{ passport_id: string }>(
  404,
  'PassportUnknown',
  'There is no such passport',
) {}

/** The id is another project's, or was that of one which is deleted. */
export class ProjectKnown extends problem<{ project_id: string }>(409, 'ProjectKnown', 'The project id is taken') {}

/** The id is another plane's, or was that of one which is deleted. */
export class PlaneKnown extends problem<{ project_id: string; plane_id: string }>(
  409,
  'PlaneKnown',
  'The plane id is taken',
) {}

export class ProjectChanged extends problem<{ version: number }>(
  409,
  'ProjectChanged',
  'The project has changed meanwhile',
) {}

export class ProjectArchived extends problem<{ project_id: string }>(
  409,
  'ProjectArchived',
  'An archived project is not changed',
) {}

export class ProjectFull extends problem<{ limit: number }>(
  409,
  'ProjectFull',
  'The project has as many of these as it may have',
) {}
