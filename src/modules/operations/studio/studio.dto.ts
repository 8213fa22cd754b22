import { SHA256_DIGEST } from '../../../evidence/digest-forms.js';
import { Choice, DateTime, Flag, Integer, ListOf, Text, TextList, Uuid } from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { SLUG } from '../../projects/projects/projects.types.js';
import {
  INSTALL_ACTIONS,
  ITEM_TYPES,
  PACKAGE_ID,
  PACKAGE_SOURCES,
  type InstallAction,
  type PackageSource,
  type StudioItemType,
} from './studio.types.js';

const TenantId = () =>
  TenantIdMember('The tenant that is meant; that of the credential when absent.', { optional: true });

export class LibraryQuery {
  @TenantId()
  tenant_id?: string;
}

export class PackagePath {
  @Text({ about: 'The package.', max: 63, pattern: PACKAGE_ID, example: 'code-review' })
  id!: string;
}

export class InstallPackage {
  @Text({
    about: 'The digest that the package is to have: 409 when it has another one.',
    optional: true,
    max: 71,
    pattern: SHA256_DIGEST,
  })
  digest?: string;

  @Text({
    about: 'The project that its layers are for; needed exactly where it has layers.',
    optional: true,
    max: 63,
    pattern: SLUG,
  })
  project_id?: string;

  @Flag({ about: 'Overwrite what the tenant has with other content under names of the package.', default: false })
  replace!: boolean;

  @Flag({ about: 'Only say what would be done.', default: false })
  dry_run!: boolean;

  @TenantId()
  tenant_id?: string;
}

export class InstalledPackage {
  @Text({ about: 'The project that has its layers; null of a package without any.', nullable: true })
  project_id!: string | null;

  @Text({ about: 'The version that was installed.' })
  version!: string;

  @Text({ about: 'Its digest.' })
  digest!: string;

  @Text({ about: 'The principal that installed it.' })
  installed_by!: string;

  @DateTime({ about: 'When.' })
  installed_at!: string;

  @Uuid({ about: 'The signed receipt.' })
  receipt_id!: string;
}

export class LibraryPackage {
  @Text({ about: 'Its id.' })
  id!: string;

  @Text({ about: 'Its version.' })
  version!: string;

  @Text({ about: 'What people read.' })
  title!: string;

  @Text({ about: 'What it is for.' })
  description!: string;

  @Choice({ about: 'Whether it comes with svc, or of SVCD_STUDIO_DIR.', values: PACKAGE_SOURCES })
  source!: PackageSource;

  @Text({ about: 'SHA-256 over its files (docs/formats/studio-package.md).' })
  digest!: string;

  @TextList({ about: 'Its engrams.' })
  engrams!: string[];

  @TextList({ about: 'Its kinds.' })
  kinds!: string[];

  @TextList({ about: 'Its layers; they are installed into a project.' })
  layers!: string[];

  @ListOf({ about: 'Where the tenant has it, by project.', type: () => InstalledPackage })
  installed!: InstalledPackage[];

  @Flag({ about: 'Whether what is installed somewhere has another digest.' })
  update_available!: boolean;
}

export class LibraryWarning {
  @Text({ about: 'The folder, below that of its packages.' })
  path!: string;

  @Text({ about: 'What keeps it from being a package.' })
  problem!: string;
}

export class StudioLibraryReply {
  @ListOf({ about: 'The packages, by id; at most 200.', type: () => LibraryPackage })
  packages!: LibraryPackage[];

  @Integer({ about: 'How many there are.', min: 0 })
  count!: number;

  @ListOf({ about: 'Folders that are no packages, and why.', type: () => LibraryWarning })
  warnings!: LibraryWarning[];

  @Text({ about: '`svc.studio-library/1`.' })
  schema!: string;
}

export class InstallItem {
  @Choice({ about: 'What it is.', values: ITEM_TYPES })
  type!: StudioItemType;

  @Text({ about: 'Its name.' })
  name!: string;

  @Choice({
    about:
      'create; update: it is as an install left it; replace: it had other content; unchanged; conflict: of a dry run, it has other content.',
    values: INSTALL_ACTIONS,
  })
  action!: InstallAction;
}

export class PackageInstalled {
  @Text({ about: 'The package.' })
  package_id!: string;

  @Text({ about: 'Its version.' })
  version!: string;

  @Text({ about: 'Its digest.' })
  digest!: string;

  @Text({ about: 'The project that has its layers; null of a package without any.', nullable: true })
  project_id!: string | null;

  @Flag({ about: 'Whether nothing was done but to look.' })
  dry_run!: boolean;

  @Flag({ about: 'Whether anything was changed, or would be; false: this digest is installed.' })
  changed!: boolean;

  @ListOf({ about: 'What was done with each item, or would be.', type: () => InstallItem })
  items!: InstallItem[];

  @Text({ about: 'The signed receipt of the install that holds; null of a dry run without one.', nullable: true })
  receipt_id!: string | null;
}
