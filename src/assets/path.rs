//! Paths as files write them: `/` between folders, relative to the folder of the file that names them.

/// The folder of a file, without a `/` at its end; empty for a file that stands in none.
pub fn folder_of(file: &str) -> &str {
    match file.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => "",
    }
}

pub fn name_of(file: &str) -> &str {
    file.rsplit_once('/').map_or(file, |(_, name)| name)
}

/// The part behind the last point of the name, in small letters.
pub fn extension_of(file: &str) -> String {
    name_of(file).rsplit_once('.').map_or(String::new(), |(_, end)| end.to_lowercase())
}

/// A path below a folder, unless it is absolute, without `.` and without the `..` that can be resolved.
pub fn join(folder: &str, path: &str) -> String {
    let whole = match folder {
        "" => path.to_owned(),
        _ if is_absolute(path) => path.to_owned(),
        _ => format!("{folder}/{path}"),
    };
    let root = if whole.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.as_bytes().get(1) == Some(&b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_resolved() {
        assert_eq!(join("data/configs", "../meshes/./cup.glb"), "data/meshes/cup.glb");
        assert_eq!(join("", "../a//b"), "../a/b");
        assert_eq!(join("../a", "../../b"), "../../b");
        assert_eq!(join("/root", "x"), "/root/x");
        assert_eq!(join("a", "/x"), "/x");
        assert_eq!((folder_of("a/b/c.obj"), folder_of("c.obj"), folder_of("/c.obj")), ("a/b", "", "/"));
        assert_eq!(
            (name_of("a/b.tar.GZ"), &*extension_of("a.b/c.OBJ"), &*extension_of("a.b/c")),
            ("b.tar.GZ", "obj", "")
        );
    }
}
