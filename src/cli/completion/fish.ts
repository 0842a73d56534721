// Completion for fish, with the summaries beside the words.
import type { OfferedOption, Place, Places } from './places.ts';
import { fillerWord, optionsWithFillers } from './tables.ts';

export const fishCompletion = (everything: Places): string => `\
# Completion of vals for fish; load it with: vals completion fish | source

function __vals_commands
    switch "$argv[1]"
${rows(everything.places, ({ commands }) => commands.map(({ name, summary }) => line(name, summary)))}
    end
end

function __vals_options
    switch "$argv[1]"
${rows(everything.places, ({ options }) => options.flatMap(described))}
    end
    ${everything.everywhere.flatMap(described).join('\n    ')}
end

function __vals_arguments
    switch "$argv[1]"
${rows(everything.places, ({ arguments: fillers, isOpenEnded }) =>
  fillers.length === 0
    ? []
    : [["printf '%s\\n'", ...fillers.map(fillerWord), ...(isOpenEnded ? ['...'] : [])].join(' ')],
)}
    end
end

function __vals_filler
    switch "$argv[1] $argv[2]"
${optionsWithFillers(everything)
  .map(
    ({ path, name, filler }) =>
      `        case ${quoted(`${path ?? '*'} ${name}`)}\n            echo ${filler}`,
  )
  .join('\n')}
    end
end

# What fills a place, each with what stands before it in the same word.
function __vals_fill -a filler current before
    switch "$filler"
        case ':*'
            string split -n : -- $filler | string replace -r '^' -- "$before"
        case val
            vals completion names 2>/dev/null | string replace -r '^' -- "$before"
            __fish_complete_path "$current" | string replace -r '^' -- "$before"
        case file
            __fish_complete_path "$current" | string replace -r '^' -- "$before"
    end
end

function __vals_complete
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -l place ''
    set -l position 1
    set -l ended ''
    set -e tokens[1]
    while set -q tokens[1]
        set -l word $tokens[1]
        set -e tokens[1]
        if test -z "$ended" -a "$word" = --
            set ended yes
        else if test -z "$ended"; and string match -q -- '-*' "$word"
            string match -q -- '*=*' "$word"; and continue
            set -l filler (__vals_filler "$place" "$word")
            test -n "$filler"; or continue
            if not set -q tokens[1]
                __vals_fill "$filler" "$current"
                return
            end
            set -e tokens[1]
        else if contains -- "$word" (__vals_commands "$place" | string replace -r '\\t.*' '')
            set place (string trim -- "$place $word")
            set position 1
        else
            set position (math $position + 1)
        end
    end
    if test -z "$ended"; and string match -q -- '--*=*' "$current"
        set -l option (string replace -r '=.*' '' -- "$current")
        set -l filler (__vals_filler "$place" "$option")
        __vals_fill "$filler" (string replace -r '^[^=]*=' '' -- "$current") "$option="
        return
    end
    if test -z "$ended"; and string match -q -- '-*' "$current"
        __vals_options "$place"
        return
    end
    __vals_commands "$place"
    set -l arguments (__vals_arguments "$place")
    set -l count (count $arguments)
    if test $count -gt 0; and test "$arguments[-1]" = ...; and test $position -ge $count
        set position (math $count - 1)
    end
    set -q arguments[$position]; and __vals_fill "$arguments[$position]" "$current"
end

complete -c vals -e
complete -c vals -f -a '(__vals_complete)'
`;

function rows(places: readonly Place[], linesOf: (place: Place) => readonly string[]): string {
  return places
    .map((place) => [place.path, linesOf(place)] as const)
    .filter(([, lines]) => lines.length > 0)
    .map(
      ([path, lines]) =>
        `        case ${quoted(path)}\n${lines.map((line) => `            ${line}`).join('\n')}`,
    )
    .join('\n');
}

const described = ({ names, description }: OfferedOption): string[] =>
  names.map((name) => line(name, description));

const line = (word: string, description: string): string =>
  `printf '%s\\t%s\\n' ${quoted(word)} ${quoted(description)}`;

/** In fish a quote or a backslash inside quotes is escaped. */
const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
