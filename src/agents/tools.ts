import type {
  ArgumentDefinition,
  Effect,
  LoadedCommand,
  OptionDefinition,
} from '../core/command-line/command.ts';
import { argumentsOf, optionsOf } from '../core/command-line/options.ts';
import type { ValueSchema } from '../core/command-line/value-types.ts';
import { entryFor } from './tool-table.ts';

/** What a person lets an agent do. */
export interface AgentPermissions {
  readOnly?: boolean | undefined;
  allowDelete?: boolean | undefined;
  allowRun?: boolean | undefined;
  allowPublic?: boolean | undefined;
}

export type Property = Partial<Omit<ValueSchema, 'type'>> & {
  type: ValueSchema['type'] | 'boolean' | 'array';
  description: string;
  items?: ValueSchema;
  minItems?: number;
  default?: string | number;
};

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: {
    type: 'object';
    properties: Record<string, Property>;
    required: string[];
    additionalProperties: false;
  };
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

export const toolName = ({ path }: Pick<LoadedCommand, 'path'>): string => path.replaceAll(' ', '_');

export function isAllowed({ path, effect }: LoadedCommand, permissions: AgentPermissions): boolean {
  if (entryFor(path) === undefined || (permissions.readOnly && effect !== 'reads')) return false;
  if (effect === 'deletes') return permissions.allowDelete === true;
  return effect !== 'runs' || permissions.allowRun === true;
}

const readOnlyNote = 'This server is read-only.';
const deleteNote = 'To allow deletions, a person must start this server with --allow-delete.';
const runNote = 'To allow runs of code, a person must start this server with --allow-run.';
const publicNote =
  'New vals are private. To allow public and unlisted ones, a person must start this server with --allow-public.';

export function permissionNotes(permissions: AgentPermissions): string[] {
  const { readOnly, allowDelete, allowRun, allowPublic } = permissions;
  if (readOnly) return [readOnlyNote];
  return [
    ...(allowDelete ? [] : [deleteNote]),
    ...(allowRun ? [] : [runNote]),
    ...(allowPublic ? [] : [publicNote]),
  ];
}

export function toolOf(command: LoadedCommand, permissions: AgentPermissions): Tool {
  const { summary, description = `${summary}.`, details, effect } = command;
  const said = entryFor(command.path)?.description ?? [description, details].filter(Boolean).join(' ');
  const properties = { ...argumentProperties(command), ...optionProperties(command, permissions) };
  return {
    name: toolName(command),
    title: summary,
    description: said,
    inputSchema: {
      type: 'object',
      properties,
      required: argumentsOf(command).flatMap(([key, { optional }]) => (optional ? [] : [key])),
      additionalProperties: false,
    },
    annotations: annotationsOf(effect),
  };
}

const annotationsOf = (effect: Effect): Tool['annotations'] => ({
  readOnlyHint: effect === 'reads',
  destructiveHint: effect !== 'reads' && effect !== 'adds',
  idempotentHint: effect !== 'adds' && effect !== 'runs',
  openWorldHint: effect === 'runs',
});

function argumentProperties(command: LoadedCommand): Record<string, Property> {
  const { codeFor, inputs = {} } = entryFor(command.path) ?? {};
  const properties: Record<string, Property> = {};
  for (const [key, definition] of argumentsOf(command)) {
    properties[key] = argumentProperty(definition, inputs[key] ?? definition.description);
    if (key === codeFor)
      properties.code = { type: 'string', description: 'the code itself, instead of a file' };
  }
  return properties;
}

function argumentProperty(
  { value, optional, repeatable }: ArgumentDefinition,
  description: string,
): Property {
  if (!repeatable) return { ...value.schema, description };
  return { type: 'array', items: value.schema, ...(!optional && { minItems: 1 }), description };
}

function optionProperties(command: LoadedCommand, permissions: AgentPermissions): Record<string, Property> {
  const { inputs = {} } = entryFor(command.path) ?? {};
  return Object.fromEntries(
    optionsForAgents(command, permissions).map(([key, option]) => [
      key,
      optionProperty(option, inputs[key] ?? option.description),
    ]),
  );
}

const optionsForAgents = (
  command: LoadedCommand,
  { allowDelete }: AgentPermissions,
): [key: string, OptionDefinition][] =>
  optionsOf(command).filter(([, { forPeople, deletes }]) => !forPeople && (!deletes || allowDelete));

function optionProperty(option: OptionDefinition, description: string): Property {
  const { negatable, value, repeatable, default: fallback } = option;
  if (value === undefined) {
    return { type: 'boolean', description: negatable ? `${description}; false: ${negatable}` : description };
  }
  if (repeatable) return { type: 'array', items: value.schema, description };
  return { ...value.schema, description, ...(fallback !== undefined && { default: fallback }) };
}
