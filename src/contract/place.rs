//! What stands at a place of a reply: a JSON Pointer, an element path in XML, a form field, a header, the whole text.
//! It must not know what is looked for.

use quick_xml::events::Event;

use super::json::Json;

/// A reply as far as it can be read: by the judge from a journal, by the run as it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// The status.
    pub status: u16,
    /// The headers, in order.
    pub headers: &'a [(String, String)],
    /// The body, where it is text.
    pub text: Option<&'a str>,
}

impl<'a> Received<'a> {
    /// All values of a header, in order.
    pub fn header(&self, name: &str) -> impl Iterator<Item = &'a str> + use<'a, '_> {
        let name = name.to_owned();
        self.headers
            .iter()
            .filter(move |(n, _)| n.eq_ignore_ascii_case(&name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether a header is there.
    #[must_use]
    pub fn has_header(&self, name: &str) -> bool {
        self.header(name).next().is_some()
    }

    /// The values at a place of the body, as text.
    #[must_use]
    pub fn at(&self, place: &str) -> Vec<String> {
        let Some(text) = self.text else {
            return Vec::new();
        };
        if place == "text" {
            return vec![text.to_owned()];
        }
        if let Some(path) = place.strip_prefix("xml:") {
            return elements(text, path);
        }
        if let Some(field) = place.strip_prefix("form:") {
            return url::form_urlencoded::parse(text.as_bytes())
                .filter(|(name, _)| name == field)
                .map(|(_, value)| value.into_owned())
                .collect();
        }
        let value = Json::read(text);
        let found = value.as_ref().map(|json| json.all_at(place));
        let found = found.into_iter().flatten();
        found.filter_map(Json::scalar).collect()
    }

    /// Whether anything stands at a place of the body, whatever it is.
    #[must_use]
    pub fn has(&self, place: &str) -> bool {
        if place == "text" || place.starts_with("xml:") || place.starts_with("form:") {
            return !self.at(place).is_empty();
        }
        self.text.and_then(Json::read).is_some_and(|json| {
            let mut found = json.all_at(place).into_iter();
            found.any(|value| *value != Json::Null)
        })
    }
}

/// The texts of all elements at a path such as `/Response/Errors/Error/Code`; namespace prefixes are left out.
#[must_use]
pub fn elements(text: &str, path: &str) -> Vec<String> {
    let wanted: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    let mut reader = quick_xml::Reader::from_str(text);
    // hostile or half replies: what was read up to a mistake counts
    reader.config_mut().check_end_names = false;
    let mut open: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let mut current: Option<String> = None;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                open.push(name(tag.local_name().as_ref()));
                if at(&open, &wanted) {
                    current = Some(String::new());
                }
            }
            Ok(Event::Empty(tag)) => {
                open.push(name(tag.local_name().as_ref()));
                if at(&open, &wanted) {
                    found.push(String::new());
                }
                open.pop();
            }
            Ok(Event::End(_)) => {
                if at(&open, &wanted)
                    && let Some(text) = current.take()
                {
                    found.push(text.trim().to_owned());
                }
                open.pop();
            }
            Ok(Event::Text(text)) => {
                if let (Some(current), Ok(text)) = (current.as_mut(), text.decode()) {
                    current.push_str(&text);
                }
            }
            Ok(Event::CData(text)) => {
                if let (Some(current), Ok(text)) = (current.as_mut(), text.decode()) {
                    current.push_str(&text);
                }
            }
            Ok(Event::GeneralRef(entity)) => {
                if let (Some(current), Ok(entity)) = (current.as_mut(), entity.decode()) {
                    let written = format!("&{entity};");
                    match quick_xml::escape::unescape(&written) {
                        Ok(text) => current.push_str(&text),
                        Err(_) => current.push_str(&written),
                    }
                }
            }
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}

fn name(local: &[u8]) -> String {
    String::from_utf8_lossy(local).into_owned()
}

fn at(open: &[String], wanted: &[&str]) -> bool {
    open.len() == wanted.len() && open.iter().zip(wanted).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> Received<'_> {
        Received {
            status: 400,
            headers: &[],
            text: Some(text),
        }
    }

    #[test]
    fn an_xml_element_is_found_by_its_path_without_namespaces() {
        let text = "<?xml version=\"1.0\"?><Response xmlns:e='x'><e:Errors><Error><Code>Idem&amp;Mis<![CDATA[match]]></Code></Error>\
                    <Error><Code/></Error></e:Errors></Response>";
        assert_eq!(
            body(text).at("xml:/Response/Errors/Error/Code"),
            ["Idem&Mismatch", ""]
        );
        assert!(body(text).at("xml:/Response/Code").is_empty());
    }

    #[test]
    fn half_an_xml_reply_is_read_as_far_as_it_goes() {
        assert_eq!(body("<A><B>1</B><B>2").at("xml:/A/B"), ["1"]);
        assert!(body("<<<&&&").at("xml:/A").is_empty());
    }

    #[test]
    fn json_form_and_text_have_their_places() {
        assert_eq!(body(r#"{"error":{"code":704}}"#).at("/error/code"), ["704"]);
        let list = r#"{"data":{"refundCreate":{"userErrors":[{"code":"X"},{"code":"Y"}]}}}"#;
        assert_eq!(body(list).at("/data/*/userErrors/*/code"), ["X", "Y"]);
        assert!(!body(r#"{"data":{"a":{"userErrors":[]}}}"#).has("/data/*/userErrors/0"));
        assert_eq!(body("a=1&code=in+use").at("form:code"), ["in use"]);
        assert_eq!(body("duplicate!").at("text"), ["duplicate!"]);
        assert!(body(r#"{"e":{}}"#).has("/e") && !body(r#"{"e":null}"#).has("/e"));
    }
}
