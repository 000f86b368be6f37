# Completion of xpose for fish. The command itself knows the words: xpose complete WORD...
function __xpose_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l found ($words[1] complete $words[2..-1] "$token" 2>/dev/null)
    switch "$found[1]"
        case ':files' ':folders'
            set -l before (string match -r -- '^--[a-z-]+=' "$token")
            set -l rest (string replace -r -- '^--[a-z-]+=' '' "$token")
            if test "$found[1]" = ':folders'
                __fish_complete_directories "$rest" | string replace -r -- '^' "$before"
            else
                __fish_complete_path "$rest" | string replace -r -- '^' "$before"
            end
        case '*'
            printf '%s\n' $found
    end
end
complete -c xpose -f -a '(__xpose_complete)'
